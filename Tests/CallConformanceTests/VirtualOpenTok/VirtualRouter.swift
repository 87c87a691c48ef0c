import OpenTokSignalling
import RTCCore
import RTCSim
import RTCWire
import SFUCore

@testable import ProviderFake

/// The media of one routed session: a connection of the simulated server for each stream, and one for each subscription.
final class VirtualRouter {
    private struct Publication {
        let connection: FakeConnection
        var tracks: [StreamKind: (producer: ProducerID, format: TrackFormat)] = [:]
    }

    private struct Subscription {
        let connection: FakeConnection
        var paused: Set<StreamKind> = []
        /// Something has changed that the next offer is to say.
        var needsOffer = false
    }

    private unowned let host: SessionHost
    private var publications: [String: Publication] = [:]
    private var subscriptions: [RaptorPeer: Subscription] = [:]

    init(_ host: SessionHost) { self.host = host }

    private var server: FakeServer { host.house.server }
    private var room: String { host.session.id.text }

    func perform(_ command: OpenTokSession.MediaCommand) {
        switch command {
        case .publish(let stream):
            guard let connection = connect(.stream(stream), isOffering: false) else { return }
            publications[stream] = Publication(connection: connection)
        case .endStream(let stream): end(stream)
        case .setChannel(let stream, let kind, let isActive): set(StreamKind(kind), of: stream, isActive: isActive)
        case .subscribe(let stream, let id):
            let peer = RaptorPeer.subscriber(stream: stream, id: id)
            guard let connection = connect(peer, isOffering: true) else { return }
            subscriptions[peer] = Subscription(connection: connection)
            addTracks(to: peer)
        case .unsubscribe(let stream, let id): unsubscribe(.subscriber(stream: stream, id: id))
        case .prefer(let stream, let id, let kind, let preferences):
            prefer(StreamKind(kind), preferences, .subscriber(stream: stream, id: id))
        case .negotiate(let peer, let step): _ = negotiate(peer, step)
        // There is one dialect in these sessions.
        case .orderMute, .pass: break
        }
    }

    private func connect(_ peer: RaptorPeer, isOffering: Bool) -> FakeConnection? {
        guard let owner = host.session.owner(of: peer) else { return nil }
        return server.connect(host.house.address(of: peer, at: owner).1, room: room, isOffering: isOffering)
    }

    // MARK: Streams

    private func end(_ stream: String) {
        for peer in subscriptions.keys where peer.stream == stream { unsubscribe(peer) }
        if let publication = publications.removeValue(forKey: stream) {
            server.remove(publication.connection)
        }
    }

    private func unsubscribe(_ peer: RaptorPeer) {
        if let subscription = subscriptions.removeValue(forKey: peer) {
            server.remove(subscription.connection)
        }
    }

    private func set(_ kind: StreamKind, of stream: String, isActive: Bool) {
        guard let publication = publications[stream], let track = publication.tracks[kind] else { return }
        server.drive { outbox, now in
            publication.connection.media.perform(now: now, into: outbox) { room, out in
                room.setMuted(!isActive, track.producer, now: now, into: &out)
            }
        }
    }

    // MARK: Descriptions

    /// What a client says of its connection; false where that can't be used.
    func negotiate(_ peer: RaptorPeer, _ step: RaptorNegotiation) -> Bool {
        switch (peer, step) {
        case (.stream(let stream), .offer(let sdp)): return (try? takeOffer(sdp, of: stream)) != nil
        case (.subscriber, .answer(let sdp)): return (try? takeAnswer(sdp, of: peer)) != nil
        case (.subscriber, .generateOffer):
            restart(peer)
            return true
        // Clients are found by what they send.
        case (_, .candidate): return true
        default: return false
        }
    }

    private func takeOffer(_ sdp: String, of stream: String) throws {
        guard let connection = publications[stream]?.connection else { return }
        var begun: [(id: String, producer: ProducerID, format: TrackFormat)] = []
        let answer = try server.answer(connection, sdp) { begun.append(($0, $1, $2)) }
        host.routerSays(.answer(sdp: answer), to: .stream(stream))
        for track in begun {
            let line = connection.negotiator.lines.first { $0.remoteStreamID?.trackID == track.id }
            guard let kind = line?.streamKind else { continue }
            publications[stream]?.tracks[kind] = (track.producer, track.format)
            if host.session.isMuted(kind == .video ? .video : .audio, of: stream) {
                set(kind, of: stream, isActive: false)
            }
        }
        for peer in subscriptions.keys.sorted() where peer.stream == stream { addTracks(to: peer) }
    }

    private func takeAnswer(_ sdp: String, of peer: RaptorPeer) throws {
        guard let connection = subscriptions[peer]?.connection else { return }
        try server.drive { outbox, now in
            try connection.negotiator.applyAnswer(SDPSession(parsing: sdp))
            connection.peer.setReceiveMap(ReceiveMap(connection.negotiator.lines))
            connection.connect(now, outbox)
            server.takeEvents(of: connection, in: nil, into: outbox)
            server.open(connection, now, outbox)
        }
        applyPauses(peer)
        if subscriptions[peer]?.needsOffer == true { offer(peer) }
    }

    private func addTracks(to peer: RaptorPeer) {
        guard let subscription = subscriptions[peer], let publication = publications[peer.stream] else { return }
        for kind in [StreamKind.audio, .video] {
            let name = kind == .video ? "video" : "audio"
            guard let track = publication.tracks[kind],
                !subscription.connection.copies.contains(where: { $0.trackID == name })
            else { continue }
            subscription.connection.add(
                name, of: "stream", producer: track.producer, kind: kind, format: track.format)
            subscriptions[peer]?.needsOffer = true
        }
        if subscriptions[peer]?.needsOffer == true { offer(peer) }
    }

    private func offer(_ peer: RaptorPeer, replacing: Bool = false) {
        guard let connection = subscriptions[peer]?.connection,
            connection.negotiator.state == .stable || replacing
        else { return }
        subscriptions[peer]?.needsOffer = false
        for index in connection.copies.indices where connection.copies[index].line == nil {
            let copy = connection.copies[index]
            connection.copies[index].line = connection.negotiator.addLine(
                kind: copy.kind == .audio ? .audio : .video, direction: .sendonly, send: copy.description)
        }
        guard let offer = try? connection.negotiator.createOffer().description else { return }
        host.routerSays(.offer(sdp: offer), to: peer)
    }

    private func restart(_ peer: RaptorPeer) {
        guard let connection = subscriptions[peer]?.connection, !connection.negotiator.lines.isEmpty else { return }
        server.drive { outbox, now in
            connection.restartICE(now: now, into: outbox)
            server.takeEvents(of: connection, in: nil, into: outbox)
        }
        offer(peer, replacing: true)
    }

    /// A connection has no way to its client any more.
    func failed(_ connection: FakeConnection) {
        if let peer = subscriptions.first(where: { $0.value.connection === connection })?.key { return restart(peer) }
        guard let stream = publications.first(where: { $0.value.connection === connection })?.key else { return }
        // Its publisher has a while to bring it back.
        let simulation = host.house.simulation
        simulation.schedule(at: simulation.now + .seconds(30)) { [weak self] in
            guard let self, let present = publications[stream], !present.connection.peer.isConnected else { return }
            host.mediaStopped(stream)
        }
    }

    // MARK: What is wanted

    private func prefer(_ kind: StreamKind, _ preferences: RaptorSubscriberPreferences, _ peer: RaptorPeer) {
        guard let isActive = preferences.isActive else { return }
        if isActive { subscriptions[peer]?.paused.remove(kind) } else { subscriptions[peer]?.paused.insert(kind) }
        applyPauses(peer)
    }

    private func applyPauses(_ peer: RaptorPeer) {
        guard let subscription = subscriptions[peer] else { return }
        server.drive { outbox, now in
            for copy in subscription.connection.copies {
                guard let consumer = copy.consumer else { continue }
                let isPaused = subscription.paused.contains(copy.kind)
                subscription.connection.media.perform(now: now, into: outbox) { room, out in
                    room.setPaused(isPaused, consumer, now: now, into: &out)
                }
            }
        }
    }
}

extension StreamKind {
    init(_ kind: RaptorChannel.Kind) { self = kind == .video ? .video : .audio }
}
