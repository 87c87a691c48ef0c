import OpenTokSignalling
import RTCCore
import RTCWire
import SFUCore

/// One subscription at the router: the connection that carries it, what the subscriber wants, and what its link bears.
// Lives on its room's event loop.
final class OpenTokSubscription {
    let id: String
    let connection: MediaConnection
    unowned let publisher: OpenTokPublisher
    private var wishes: [StreamKind: RaptorSubscriberPreferences] = [:]
    private var link = SubscriberLink()
    private var fallback = VideoFallback()
    /// Something has changed that the next offer is to say.
    private var needsOffer = false
    private var toldCandidates = ""
    /// As it was set last.
    private var applied: [StreamKind: VideoWish] = [:]

    /// Nil where the loop's port has as many peers as it takes.
    init?(_ id: String, to publisher: OpenTokPublisher) {
        let room = publisher.media.room
        guard
            let connection = MediaConnection(
                role: .offering, loop: room.loop, media: publisher.media.media, cname: publisher.cname,
                logger: room.logger)
        else { return nil }
        self.id = id
        self.publisher = publisher
        self.connection = connection
        connection.owner = self
    }

    private var peer: RaptorPeer { .subscriber(stream: publisher.stream, id: id) }
    private var room: OpenTokRoom { publisher.media.room }

    func close() { connection.close() }

    // MARK: Descriptions

    /// The publisher's tracks are there, or have changed.
    func tracksChanged(now: Instant) {
        for kind in [StreamKind.audio, .video] {
            guard let track = publisher.tracks[kind], connection.send(track: Self.name(kind)) == nil else { continue }
            connection.add(
                OutgoingTrack(
                    trackID: Self.name(kind), streamID: "stream", cname: publisher.cname, producer: track.producer,
                    kind: kind, format: track.format, media: publisher.media.media))
            applied[kind] = nil
            apply(kind, now)
            needsOffer = true
        }
        if needsOffer { offer() }
    }

    func remove(_ kind: StreamKind) {
        if connection.removeSend(track: Self.name(kind), fills: false) { needsOffer = true }
    }

    /// False for a step that is none of a subscriber's.
    func take(_ step: RaptorNegotiation, now: Instant) throws(NegotiationFailure) -> Bool {
        switch step {
        case .answer(let sdp):
            try connection.takeAnswer(sdp, now: now)
            if needsOffer { offer() }
        // The client can't be heard on the way it was told of: another one.
        case .generateOffer: restart()
        case .candidate: break
        case .offer, .provisionalAnswer: return false
        }
        return true
    }

    private func offer(replacing: Bool = false) {
        needsOffer = false
        do throws(NegotiationFailure) {
            guard let sdp = try connection.createOffer(replacing: replacing) else {
                needsOffer = true
                return
            }
            room.say(.offer(sdp: sdp), to: peer)
            connection.tellCandidates(&toldCandidates) { room.say(.candidate($0), to: peer) }
        } catch {
            room.logger.notice("opentok offer failed", metadata: ["reason": "\(error)"])
        }
    }

    private func restart() {
        guard connection.mayRecover, !connection.negotiator.lines.isEmpty else { return }
        connection.restartICE()
        offer(replacing: true)
    }

    private static func name(_ kind: StreamKind) -> String { kind == .video ? "video" : "audio" }

    // MARK: What is wanted

    func prefer(_ kind: StreamKind, _ preferences: RaptorSubscriberPreferences, now: Instant) {
        var wish = wishes[kind] ?? RaptorSubscriberPreferences()
        wish.isActive = preferences.isActive ?? wish.isActive
        wish.restrictsFrameRate = preferences.restrictsFrameRate ?? wish.restrictsFrameRate
        wish.preferredWidth = preferences.preferredWidth ?? wish.preferredWidth
        wish.preferredHeight = preferences.preferredHeight ?? wish.preferredHeight
        wish.preferredFrameRate = preferences.preferredFrameRate ?? wish.preferredFrameRate
        wishes[kind] = wish
        apply(kind, now)
    }

    private func apply(_ kind: StreamKind, _ now: Instant) {
        guard let send = connection.send(track: Self.name(kind)) else { return }
        let size = room.session.videoSize(of: publisher.stream)
        let top = send.liveLayers(now).map { $0.rank + $0.spatialLayers - 1 }.max()
        let wish = VideoWish(wishes[kind] ?? RaptorSubscriberPreferences(), size: size, topLayer: top)
        guard applied[kind] != wish else { return }
        applied[kind] = wish
        send.set(paused: wish.isPaused, layerLimit: wish.layer, frameRateLimit: wish.frameRate, now: now)
    }

    // MARK: The link

    func tick(_ now: Instant) {
        // Layers come and go, and with them the one that is large enough.
        apply(.video, now)
        guard let send = connection.send(track: Self.name(.video)), send.consumer != nil, !send.isRefused else {
            return
        }
        link.update(send, &connection.feedback, now: now)
        guard let demand = demand(send, now) else { return }
        let falls = room.session.stream(publisher.stream)?.hasAudioFallback ?? true
        let capacity = link.capacity
        var allocation = BitrateAllocation([demand], capacity: capacity, mayPause: falls)
        link.nextCost = allocation.nextCost
        let changes = fallback.update(isStarved: allocation.shares[demand.track] == .paused, now: now)
        if fallback.isDisabled {
            send.allocate(.paused, now: now)
        } else {
            if falls { allocation = BitrateAllocation([demand], capacity: capacity, mayPause: false) }
            send.allocate(allocation.shares[demand.track], now: now)
        }
        guard !changes.isEmpty else { return }
        room.change(now) { [stream = publisher.stream, id] session, actions in
            for change in changes { session.videoChanged(change, stream: stream, subscriber: id, into: &actions) }
        }
    }

    private func demand(_ send: OutgoingTrack, _ now: Instant) -> VideoDemand? {
        guard let wanted = send.wantedLayer else { return nil }
        let live = send.liveLayers(now)
        let layers = live.flatMap { layer in
            publisher.rates[layer.ssrc]?.choices(rank: layer.rank, isSmallest: layer.ssrc == live.first?.ssrc) ?? []
        }
        return layers.isEmpty
            ? nil : VideoDemand(track: send.trackID, priority: send.priority, wanted: wanted, layers: layers)
    }
}

extension OpenTokSubscription: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        guard state == .failed else { return }
        restart()
        room.drain(now)
    }

    func connectionFreedLine(_ connection: MediaConnection) { offer() }
}

/// What a subscriber's preferences come to.
struct VideoWish: Hashable {
    var isPaused: Bool
    /// The largest layer, from 0.
    var layer: Int
    /// Pictures a second; nil for all.
    var frameRate: Int?

    /// - Parameters:
    ///   - size: of the whole picture; nil where it is not known.
    ///   - topLayer: the largest that the publisher sends; each smaller one has half its width and height.
    init(_ preferences: RaptorSubscriberPreferences, size: (width: Int, height: Int)?, topLayer: Int?) {
        isPaused = preferences.isActive == false
        let rate = preferences.preferredFrameRate.map { max(1, Int($0.rounded(.up))) }
        frameRate = preferences.restrictsFrameRate == true ? 1 : rate.flatMap { $0 < 1000 ? $0 : nil }
        layer = Self.unlimited
        let (width, height) = (preferences.preferredWidth ?? 0, preferences.preferredHeight ?? 0)
        guard let size, let topLayer, (1...4).contains(topLayer), width > 0 || height > 0 else { return }
        let covering = (0...topLayer).first { rank in
            size.width >> (topLayer - rank) >= width && size.height >> (topLayer - rank) >= height
        }
        layer = covering ?? Self.unlimited
    }

    private static let unlimited = 2
}

/// What the link of one subscription bears, as its connection says.
struct SubscriberLink {
    private var channel = ChannelCapacity()
    private var sent = RateMeter()
    /// Sent to streams that have ended since.
    private var bytesBefore = 0
    private var latest: (ssrc: UInt32, bytes: Int)?
    /// What the cheapest thing that had no room would have cost, with all else.
    var nextCost: Int?

    /// In bit/s; nil where no limit is known.
    var capacity: Int? { channel.available }

    /// Takes in what has been sent and what the client has said of it.
    mutating func update(_ send: OutgoingTrack, _ feedback: inout SubscriberFeedback, now: Instant) {
        if let latest, latest.ssrc != send.ssrc { bytesBefore += latest.bytes }
        latest = (send.ssrc, send.bytesSent)
        sent.update(bytesBefore + send.bytesSent, now: now)
        let rate = Int(sent.bitrate)
        if let estimate = feedback.takeEstimate() { channel.note(estimate: estimate, sent: rate, now: now) }
        channel.note(loss: feedback.takeLoss(), sent: rate, now: now)
        channel.advance(to: now, nextCost: nextCost)
    }
}
