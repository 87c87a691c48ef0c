import LiveKitProtocol
import RTCCore
import RTCWire
import RoomModel
import SFUCore

extension LiveKitParticipant {
    /// Notes a track that the client is going to send, and tells it the track's sid.
    func addTrack(_ request: Livekit_AddTrackRequest) {
        let limits = room.configuration.limits
        guard request.isBounded(name: limits.name) else { return refuse(request, .limitExceeded) }
        if let known = pendingTracks.first(where: { $0.cid == request.cid }) { return confirm(known) }
        let source = TrackSource(request.source)
        let permissions = room.model.participant(sid)?.permissions
        // A second codec for a track that is there already: clients go on without it.
        if !request.sid.isEmpty {
            return refuse(request, room.tracks[request.sid]?.publisher == sid ? .unsupportedType : .notFound)
        }
        if permissions?.mayPublish(source) != true || request.type == .data {
            return refuse(request, request.type == .data ? .unsupportedType : .notAllowed)
        }
        let record = room.model.participant(sid)
        let track = LiveKitTrack(request, publisher: sid)
        guard pendingTracks.count < limits.pendingTracks,
            pendingTracks.count + (record?.tracks.count ?? 0) < limits.tracks,
            let record, room.describes(record, self, adding: track.info)
        else { return refuse(request, .limitExceeded) }
        pendingTracks.append(track)
        confirm(track)
    }

    private func confirm(_ track: LiveKitTrack) {
        send(
            .with {
                $0.trackPublished = .with {
                    $0.cid = track.cid
                    $0.track = track.info
                }
            })
    }

    private func refuse(_ request: Livekit_AddTrackRequest, _ reason: Livekit_RequestResponse.Reason) {
        logger.info("track refused", metadata: ["reason": "\(reason)"])
        send(
            .with {
                $0.requestResponse = .with {
                    $0.reason = reason
                    $0.addTrack = request.brief
                }
            })
    }

    /// Finds the announced track of each line that the client newly sends on, and says what its codec is to be like.
    func matchTracks() -> [(line: Int, track: LiveKitTrack)] {
        var matches: [(line: Int, track: LiveKitTrack)] = []
        for line in publisher.negotiator.lines where line.isNewSender(for: publisher.ingress) {
            let taken = Set(matches.map(\.track.sid))
            let free = pendingTracks.filter { !taken.contains($0.sid) && $0.kind == line.streamKind }
            let named = free.first { $0.cid == line.remote?.msid?.trackID }
            guard let track = named ?? free.first else { continue }
            publisher.negotiator.setCodecs(line.index, track.codecNames(offered: line.remote?.codecs ?? []))
            if !track.parameters.isEmpty {
                publisher.negotiator.setParameters(
                    line.index, codec: "opus", SDPFormatParameters(parsing: track.parameters))
            }
            matches.append((line.index, track))
        }
        return matches
    }

    /// Makes the matched tracks real: from now on packets of these lines are forwarded.
    func publish(_ matches: [(line: Int, track: LiveKitTrack)], now: Instant) {
        for (index, track) in matches {
            let line = publisher.negotiator.lines[index]
            guard let format = TrackFormat(of: line), line.direction.receives else {
                logger.notice("track cannot be received", metadata: ["track": "\(track.sid)"])
                continue
            }
            track.bind(to: line, format: format)
            track.info.version = .with { $0.unixMicro = WallClock.microseconds }
            publisher.ingress[line: index] = makeProducer(for: track, format, line, now)
            pendingTracks.removeAll { $0 === track }
            room.publish(track, of: self, now: now)
        }
    }

    private func makeProducer(
        for track: LiveKitTrack, _ format: TrackFormat, _ line: MediaLine, _ now: Instant
    ) -> ProducerID {
        var configuration = ProducerConfiguration(
            codec: format.mediaCodec(track.kind), payloads: format.payloads,
            clockRate: UInt32(clamping: format.codec.clockRate))
        let groups = line.remote?.groups ?? []
        configuration.simulcastSources = groups.first { $0.semantics == "SIM" }?.ssrcs ?? []
        configuration.asksForAllLayers = room.loop.settings.plane.asksForAllLayers
        let producer = room.media.perform(now: now) { room, outbox, now in
            let producer = room.addProducer(configuration, from: publisher.id)
            room.setMuted(track.info.muted, producer, now: now, into: &outbox)
            return producer
        }
        track.producer = producer
        return producer
    }

    /// Takes up what a later description says of lines that are bound already: clients may offer a line with every codec
    /// first and name the one they use afterwards.
    func rebindChanged(now: Instant) {
        for (index, old) in publisher.ingress.bound {
            let line = publisher.negotiator.lines[index]
            guard let track = room.track(fedBy: old), let format = TrackFormat(of: line), line.direction.receives,
                let known = track.format, !format.isSame(as: known)
            else { continue }
            track.bind(to: line, format: format)
            logger.info(
                "track goes on in another format", metadata: ["track": "\(track.sid)", "codec": "\(format.name)"])
            publisher.ingress[line: index] = makeProducer(for: track, format, line, now)
            room.media.perform(now: now) { room, _, _ in room.removeProducer(old) }
            room.renew(track, of: self, now: now)
        }
    }

    /// Ends the tracks whose lines the client no longer sends on.
    func unpublishEnded(now: Instant) {
        for (index, producer) in publisher.ingress.bound {
            let lines = publisher.negotiator.lines
            if lines.indices.contains(index), lines[index].state == .active, lines[index].direction.receives {
                continue
            }
            publisher.ingress[line: index] = nil
            room.media.perform(now: now) { room, _, _ in room.removeProducer(producer) }
            if let track = room.track(fedBy: producer) { room.unpublish(track.sid, of: self, now: now) }
        }
    }
}

extension MediaLine {
    /// The client sends here, and nothing is fed by it yet.
    fileprivate func isNewSender(for ingress: Ingress) -> Bool {
        isRTP && state == .active && remote?.direction.sends == true && ingress[line: index] == nil
    }
}

extension TrackSource {
    init(_ source: Livekit_TrackSource) {
        switch source {
        case .camera: self = .camera
        case .microphone: self = .microphone
        case .screenShare: self = .screenShare
        case .screenShareAudio: self = .screenShareAudio
        default: self = .unknown
        }
    }

    init?(grantName: String) {
        switch grantName {
        case "camera": self = .camera
        case "microphone": self = .microphone
        case "screen_share": self = .screenShare
        case "screen_share_audio": self = .screenShareAudio
        default: return nil
        }
    }

    var wire: Livekit_TrackSource {
        switch self {
        case .unknown: .unknown
        case .camera: .camera
        case .microphone: .microphone
        case .screenShare: .screenShare
        case .screenShareAudio: .screenShareAudio
        }
    }
}
