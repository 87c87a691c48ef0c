import OpenTokSignalling
import RTCCore
import RTCWire
import SFUCore

/// One published stream at the router: the publisher's connection, what it brings, and who gets that.
// Lives on its room's event loop.
final class OpenTokPublisher {
    /// One medium of the stream.
    struct Track {
        var producer: ProducerID
        var format: TrackFormat
        var line: Int
    }

    let stream: String
    /// Of all its tracks, so that they are played in step.
    let cname = "ot\(UInt64.random(in: .min ... .max))"
    let connection: MediaConnection
    unowned let media: OpenTokMedia
    private(set) var tracks: [StreamKind: Track] = [:]
    private(set) var subscriptions: [String: OpenTokSubscription] = [:]
    /// Of every layer of the video, by SSRC.
    private(set) var rates: [UInt32: LayerRates] = [:]
    private var failedAt: Instant?
    private var toldCandidates = ""

    /// Nil where the loop's port has as many peers as it takes.
    init?(_ stream: String, media: OpenTokMedia) {
        let room = media.room
        guard
            let connection = MediaConnection(
                role: .answering, loop: room.loop, media: media.media, cname: cname, logger: room.logger)
        else { return nil }
        self.stream = stream
        self.media = media
        self.connection = connection
        connection.owner = self
    }

    func close() {
        for subscription in subscriptions.values { subscription.close() }
        subscriptions = [:]
        connection.close()
    }

    // MARK: Descriptions

    /// False for a step that is none of a publisher's.
    func take(_ step: RaptorNegotiation, now: Instant) throws(NegotiationFailure) -> Bool {
        switch step {
        case .offer(let sdp): try takeOffer(sdp, now)
        // The client is found by what it sends: see `MediaConnection`.
        case .candidate: break
        case .generateOffer, .answer, .provisionalAnswer: return false
        }
        return true
    }

    private func takeOffer(_ sdp: String, _ now: Instant) throws(NegotiationFailure) {
        try connection.takeOffer(sdp)
        for line in newLines {
            guard line.kind == .audio else { continue }
            connection.negotiator.setCodecs(line.index, ["opus", "pcmu", "pcma", "telephone-event"])
        }
        let answer = try connection.createAnswer(now: now)
        let peer = RaptorPeer.stream(stream)
        media.room.say(.answer(sdp: answer), to: peer)
        connection.tellCandidates(&toldCandidates) { media.room.say(.candidate($0), to: peer) }
        endTracks(now)
        for line in newLines { begin(line, now) }
        for subscription in subscriptions.values { subscription.tracksChanged(now: now) }
    }

    /// Lines that the client sends on and that feed nothing yet: one of each kind.
    private var newLines: [MediaLine] {
        var kinds = Set(tracks.keys)
        return connection.negotiator.lines.filter {
            guard $0.isRTP, $0.state == .active, $0.remote?.direction.sends == true,
                connection.ingress[line: $0.index] == nil, let kind = $0.streamKind
            else { return false }
            return kinds.insert(kind).inserted
        }
    }

    private func begin(_ line: MediaLine, _ now: Instant) {
        guard let format = TrackFormat(of: line), line.direction.receives, let kind = line.streamKind else { return }
        var configuration = ProducerConfiguration(
            codec: format.mediaCodec(kind), payloads: format.payloads,
            clockRate: UInt32(clamping: format.codec.clockRate))
        configuration.simulcastSources = line.remote?.groups.first { $0.semantics == "SIM" }?.ssrcs ?? []
        let isMuted = media.room.session.isMuted(kind == .video ? .video : .audio, of: stream)
        let producer = media.media.perform(now: now) { room, outbox, now in
            let producer = room.addProducer(configuration, from: connection.id)
            room.setMuted(isMuted, producer, now: now, into: &outbox)
            return producer
        }
        tracks[kind] = Track(producer: producer, format: format, line: line.index)
        connection.ingress[line: line.index] = producer
    }

    /// Ends what a later offer does not send any more, or sends in another format; the latter begins anew.
    private func endTracks(_ now: Instant) {
        for (kind, track) in tracks {
            let line = connection.negotiator.lines[track.line]
            if line.state == .active, line.direction.receives, let format = TrackFormat(of: line),
                format.isSame(as: track.format)
            {
                continue
            }
            tracks[kind] = nil
            connection.ingress[line: track.line] = nil
            for subscription in subscriptions.values { subscription.remove(kind) }
            media.media.perform(now: now) { room, _, _ in room.removeProducer(track.producer) }
        }
    }

    // MARK: Channels and subscribers

    func set(_ kind: StreamKind, isActive: Bool, now: Instant) {
        guard let producer = tracks[kind]?.producer else { return }
        media.media.perform(now: now) { room, outbox, now in
            room.setMuted(!isActive, producer, now: now, into: &outbox)
        }
    }

    func subscribe(_ id: String, now: Instant) {
        guard let subscription = OpenTokSubscription(id, to: self) else {
            return media.room.logger.notice("opentok subscriber without media: the port has too many peers")
        }
        subscriptions[id] = subscription
        if !tracks.isEmpty { subscription.tracksChanged(now: now) }
    }

    func unsubscribe(_ id: String) { subscriptions.removeValue(forKey: id)?.close() }

    // MARK: The clock

    func tick(_ now: Instant) {
        if let video = tracks[.video] {
            var rates: [UInt32: LayerRates] = [:]
            for layer in media.media.layers(of: video.producer) {
                rates[layer.ssrc] = self.rates[layer.ssrc] ?? LayerRates()
                rates[layer.ssrc]?.update(layer.layerBytes, now: now)
            }
            self.rates = rates
        }
        for subscription in subscriptions.values { subscription.tick(now) }
        guard let failedAt, now - failedAt >= Self.patience else { return }
        self.failedAt = nil
        media.room.change(now) {
            $0.endStream(stream, .networkDisconnected, at: WallClock.milliseconds, into: &$1)
        }
    }

    /// How long a publisher whose media has failed has to bring it back, by another offer.
    private static let patience = Interval.seconds(30)
}

extension OpenTokPublisher: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        switch state {
        case .failed, .closed: failedAt = failedAt ?? now
        case .connected: failedAt = nil
        default: break
        }
    }

    func connectionFreedLine(_ connection: MediaConnection) {}
}

extension MediaConnection {
    /// Says our candidates, once for each ICE generation.
    ///
    /// - Parameter told: the generation that was told last.
    func tellCandidates(_ told: inout String, _ tell: (RaptorCandidate) -> Void) {
        let ufrag = flow.peer.localCredentials.ufrag
        guard told != ufrag, let line = negotiator.lines.first(where: { !$0.isStopped }) else { return }
        told = ufrag
        for candidate in candidates {
            tell(RaptorCandidate(candidate: candidate.encoded, sdpMid: line.mid, sdpMLineIndex: line.index))
        }
    }
}
