import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import SFUCore

extension MediaConnection {
    /// Wants a track sent to this client. The line comes with the next negotiation.
    func add(_ send: OutgoingTrack) { outgoing.add(send) }

    /// What this connection is to send, with or without a line.
    var sends: [OutgoingTrack] { outgoing.wanted }

    /// Stops sending a track; true where the client must be told by another negotiation.
    ///
    /// - Parameter fills: video may end in black pictures, and its line is free only behind them: `connectionFreedLine`
    ///   tells when. Packets after the negotiation would belong to nobody.
    func removeSend(track: String, fills: Bool = true) -> Bool {
        guard let send = outgoing.remove(track: track) else { return false }
        if fills, isConnected, let consumer = send.consumer,
            media.perform({ room, outbox, now in room.end(consumer, now: now, into: &outbox) })
        {
            outgoing.letEnd(send)
            return false
        }
        return free(send)
    }

    /// The consumer has sent the last of its own packets.
    func ended(_ consumer: ConsumerID) {
        guard let send = outgoing.remove(ended: consumer) else { return }
        if free(send) { owner?.connectionFreedLine(self) }
    }

    private func free(_ send: OutgoingTrack) -> Bool {
        endStream(of: send)
        guard let line = send.line else { return false }
        negotiator.clearSend(line)
        return true
    }

    /// Stops what is sent now; the track keeps its line. No goodbye: the description says that a stream ends, and one that
    /// comes back under the same source would have to undo it.
    func endStream(of send: OutgoingTrack) {
        guard let consumer = send.consumer else { return }
        media.perform { room, _, _ in room.removeConsumer(consumer) }
        send.consumer = nil
        flow.perform { peer, outbox, now in
            peer.removeSendStream(ssrc: send.ssrc, sendBye: false, now: now, into: outbox)
        }
    }

    func send(track: String) -> OutgoingTrack? { sends.first { $0.trackID == track } }

    /// The lines on which the client is ready to receive, whether something is sent there or not.
    var receivingLines: LineCounts {
        func count(_ kind: StreamKind) -> Int {
            negotiator.lines.count {
                $0.streamKind == kind && $0.state == .active && $0.remote?.direction.receives == true
            }
        }
        return LineCounts(audio: count(.audio), video: count(.video))
    }

    /// How many lines of each kind the client would have to add for what waits.
    var missingLines: LineCounts {
        func missing(_ kind: StreamKind) -> Int {
            let waiting = sends.filter { $0.line == nil && !$0.isRefused && $0.kind == kind }.count
            let idle = negotiator.lines.filter { $0.streamKind == kind && $0.isIdle }.count
            return max(0, waiting - idle)
        }
        return LineCounts(audio: missing(.audio), video: missing(.video))
    }

    /// Tracks that have no line yet.
    var hasWaiting: Bool { sends.contains { $0.line == nil && !$0.isRefused } }

    /// Gives lines to what waits: idle lines of the client's offer, or lines of our own next one.
    func placeWaiting() {
        for send in sends where send.line == nil && !send.isRefused {
            let kind: SDPMediaKind = send.kind == .audio ? .audio : .video
            if role == .answering {
                guard let line = negotiator.idleLine(kind) else { continue }
                send.line = line
                negotiator.setSend(line, send.description)
            } else if let line = freeOwnLine(kind) {
                send.line = line
                negotiator.setDirection(line, .sendonly)
                negotiator.setSend(line, send.description)
            } else {
                send.line = negotiator.addLine(kind: kind, direction: .sendonly, send: send.description)
            }
        }
    }

    private func freeOwnLine(_ kind: SDPMediaKind) -> Int? {
        negotiator.lines.first { $0.kind == kind && $0.isFree }?.index
    }

    /// The track that each mid carries, for clients that map by mid.
    var trackByMid: [String: String] {
        var result: [String: String] = [:]
        for send in sends {
            guard let line = send.line, negotiator.lines.indices.contains(line) else { continue }
            result[negotiator.lines[line].mid] = send.trackID
        }
        return result
    }

    /// Brings the peer in line with what has been negotiated, and starts what can start.
    func applyLines(now: Instant) {
        flow.perform { peer, outbox, now in
            peer.setReceiveMap(ReceiveMap(negotiator.lines, repeatsCopies: settings.plane.copiesSound))
            peer.setSCTP(negotiator.lines)
            connect(&peer, outbox, now)
        }
        for send in sends { open(send, now) }
    }

    private func connect(_ peer: inout Peer, _ outbox: Outbox, _ now: Instant) {
        guard let remote = negotiator.remoteTransport, remote.generation != transportGeneration else { return }
        transportGeneration = remote.generation
        peer.setRemote(
            credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd), fingerprint: remote.fingerprint,
            dtlsRole: remote.localRole, remoteIsLite: remote.isLite, now: now, into: outbox)
    }

    private func open(_ send: OutgoingTrack, _ now: Instant) {
        guard let index = send.line, send.consumer == nil, !send.isRefused else { return }
        let line = negotiator.lines[index]
        guard line.direction.sends, line.send != nil else { return }
        guard let codec = line.counterpart(of: send.format.codec),
            var stream = line.sendStream(
                codec, cache: TrackFormat.cache(codec, send.kind, hasRTX: send.description.rtxSSRC != nil))
        else { return refuse(send, line: index) }
        stream.extensionMap = settings.plane.extensions(stream.extensionMap, of: stream.kind)
        let configuration = consumerConfiguration(send, stream, on: line)
        let added = media.perform(now: now) { room, _, _ in room.addConsumer(configuration, of: send.producer, to: id) }
        // Of a track that has ended meanwhile nothing is sent.
        guard let consumer = added else { return }
        send.consumer = consumer
        send.applySettings(now: now)
        flow.perform { peer, _, _ in peer.addSendStream(stream) }
        if isConnected { start(consumer, send.kind) }
    }

    private func consumerConfiguration(
        _ send: OutgoingTrack, _ stream: SendStreamConfiguration, on line: MediaLine
    ) -> ConsumerConfiguration {
        var configuration = send.configuration(stream, on: line)
        configuration.reportsEarly = settings.plane.reportsEarly
        configuration.replaysRecent = settings.plane.replaysRecent
        return configuration
    }

    /// Has a line go on with another track of its kind, without a negotiation: sources and numbers stay. False where the
    /// client takes no codec of that clock for it.
    func redirect(_ send: OutgoingTrack, to next: OutgoingTrack, now: Instant) -> Bool {
        guard let index = send.line, let consumer = send.consumer else { return false }
        let line = negotiator.lines[index]
        guard let codec = line.counterpart(of: next.format.codec), codec.clockRate == send.format.codec.clockRate,
            let stream = line.sendStream(codec)
        else { return false }
        send.follow(next)
        let configuration = consumerConfiguration(send, stream, on: line)
        guard media.perform(now: now, { room, _, _ in room.move(consumer, to: next.producer, configuration) }) else {
            return false
        }
        send.applySettings(now: now)
        if isConnected { start(consumer) }
        return true
    }

    /// The client knows no codec for the track.
    private func refuse(_ send: OutgoingTrack, line: Int) {
        send.isRefused = true
        negotiator.clearSend(line)
        send.line = nil
    }

    /// A client that has only just been sent our answer would take packets of a stream that it doesn't know yet for
    /// somebody else's, and lose the key frame: video waits for it a moment.
    private func start(_ consumer: ConsumerID, _ kind: StreamKind) {
        guard role == .answering, kind == .video else { return start(consumer) }
        flow.eventLoop.assumeIsolated().scheduleTask(in: MediaConnection.answerGrace) { [weak self] in
            guard let self, sends.contains(where: { $0.consumer == consumer }) else { return }
            start(consumer)
        }
    }

    private func start(_ consumer: ConsumerID) {
        paceJoin()
        media.perform { room, outbox, now in room.start(consumer, now: now, into: &outbox) }
    }

    private static let answerGrace = TimeAmount.milliseconds(60)

    /// Video that came before the connection stood would have been lost with its key frame.
    func startConsumers() {
        for send in sends { if let consumer = send.consumer { start(consumer) } }
    }
}

/// Lines by kind.
struct LineCounts: Hashable {
    var audio = 0
    var video = 0

    /// At least as many of each kind.
    func include(_ other: LineCounts) -> Bool { audio >= other.audio && video >= other.video }

    static func + (a: LineCounts, b: LineCounts) -> LineCounts {
        LineCounts(audio: a.audio + b.audio, video: a.video + b.video)
    }
}
