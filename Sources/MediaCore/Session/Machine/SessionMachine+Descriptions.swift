import RTCCore
import RTCWire

/// Tracks that are wanted, and descriptions that say so.
extension SessionMachine {
    // MARK: Preparing

    package mutating func addReceivers(audio: Int, video: Int) {
        for _ in 0..<max(0, min(audio, 256)) { _ = negotiator.addLine(kind: .audio, direction: .recvonly) }
        for _ in 0..<max(0, min(video, 256)) { _ = negotiator.addLine(kind: .video, direction: .recvonly) }
    }

    package mutating func addTrack(_ track: LocalTrack, streamID: String) throws -> MediaSession.Sender {
        let layers = try simulcast(of: track)
        let videoCodec = try sendableCodec(of: track)
        let ssrc = layers.first?.ssrc ?? takeSSRC()
        let rtxSSRC = layers.first?.rtxSSRC ?? (track.kind == .video ? takeSSRC() : nil)
        let send = SendDescription(
            streamID: streamID, trackID: track.id, ssrc: ssrc, rtxSSRC: rtxSSRC, layers: layers)
        let line = negotiator.addLine(kind: track.kind == .audio ? .audio : .video, direction: .sendonly, send: send)
        switch track.media {
        case .audio(_, let encoding): setCodecs(of: line, encoding)
        case .encodedAudio: negotiator.setCodecs(line, [CodecCapability.opus.name])
        case .video: setCodecs(of: line, [videoCodec ?? .vp8, .vp8])
        case .encodedVideo: setCodecs(of: line, [videoCodec ?? .vp8])
        }
        sent.add(track, line: line)
        return MediaSession.Sender(mid: negotiator.lines[line].mid, line: line)
    }

    /// The codec of a track's pictures; nil for sound. Throws `MediaError` for one that can't be sent.
    private func sendableCodec(of track: LocalTrack) throws(MediaError) -> VideoCodec? {
        guard track.kind == .video else { return nil }
        let codec = try VideoInput(track.media).codec
        guard codec == .vp8 || settings.frameEncryption == nil else {
            throw MediaError(
                .unsupported, "video track", "frames of \(codec.name) can't be encrypted here",
                remedy: "use VP8 in a call with end-to-end encryption")
        }
        return codec
    }

    /// - Parameter codecs: the one that is wanted first.
    private mutating func setCodecs(of line: Int, _ codecs: [VideoCodec]) {
        for codec in codecs {
            switch codec {
            case .vp8: break
            case .vp9: negotiator.allow(.vp9())
            case .h264: negotiator.allow(.h264())
            }
        }
        let names = codecs.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        negotiator.setCodecs(line, names)
    }

    private mutating func setCodecs(of line: Int, _ encoding: AudioEncoding) {
        // Redundancy would carry frames whose encryption the copies can't share.
        let usesRED = encoding.wantsRedundancy && settings.frameEncryption == nil
        let names = usesRED ? [CodecCapability.red.name, CodecCapability.opus.name] : [CodecCapability.opus.name]
        negotiator.setCodecs(line, names)
        if encoding.dtx { negotiator.setParameters(line, codec: CodecCapability.opus.name, "usedtx=1") }
    }

    /// The streams of the track's simulcast, the largest first; none for one stream.
    private mutating func simulcast(of track: LocalTrack) throws -> [SendLayer] {
        var layers: [SendLayer] = []
        for layer in try VideoEncoding(layers: track.media.layers).checkedLayers() {
            layers.append(SendLayer(rid: layer.rid, ssrc: takeSSRC(), rtxSSRC: takeSSRC()))
        }
        return layers
    }

    private mutating func takeSSRC() -> UInt32 { .random(in: 1...UInt32.max, using: &random) }

    /// Whether a sender's line still carries its track.
    private func isCurrent(_ sender: MediaSession.Sender) -> Bool {
        negotiator.lines.indices.contains(sender.line) && negotiator.lines[sender.line].mid == sender.mid
    }

    package mutating func removeTrack(_ sender: MediaSession.Sender, now: Instant, into out: SessionOutbox) throws {
        guard isCurrent(sender) else { throw SessionError("no section \(sender.mid) is in this session") }
        stopSender(sender.line, now: now, into: out)
        negotiator.clearSend(sender.line)
        updatePacing(now: now, into: out)
    }

    package mutating func setActiveLayers(_ rids: Set<String>, of sender: MediaSession.Sender) {
        if isCurrent(sender) { sent.setActiveLayers(rids, line: sender.line) }
    }

    package mutating func setTargetBitrate(_ bitrate: Int?, of sender: MediaSession.Sender) {
        if isCurrent(sender) { sent.setTargetBitrate(bitrate, line: sender.line) }
    }

    // MARK: Descriptions

    package mutating func createOffer(
        restartingICE: Bool = false, now: Instant, into out: SessionOutbox
    ) throws -> SessionDescription {
        if restartingICE { restartICE(now: now, into: out) }
        nameCandidates()
        let offer = try explained { negotiator throws in try negotiator.createOffer().description }
        beginAnnouncing(into: out.work)
        return SessionDescription(kind: .offer, sdp: offer)
    }

    package mutating func setAnswer(_ answer: SessionDescription, now: Instant, into out: SessionOutbox) throws {
        try explained { negotiator throws in _ = try negotiator.applyAnswer(SDPSession(parsing: answer.sdp)) }
        try applyNegotiation(now: now, into: out)
    }

    package mutating func createAnswer(
        to offer: SessionDescription, now: Instant, into out: SessionOutbox
    ) throws -> SessionDescription {
        let change = try explained { negotiator throws in
            try negotiator.applyOffer(SDPSession(parsing: offer.sdp))
        }
        if change.restartedICE { restartICE(now: now, into: out) }
        nameCandidates()
        let answer = try explained { negotiator throws in try negotiator.createAnswer().description }
        try applyNegotiation(now: now, into: out)
        beginAnnouncing(into: out.work)
        return SessionDescription(kind: .answer, sdp: answer)
    }

    /// Begins another generation of ICE; the next description tells its credentials.
    private mutating func restartICE(now: Instant, into out: SessionOutbox) {
        let credentials = ICECredentials.random()
        negotiator.restartICE(credentials)
        candidates.forget()
        _ = peer.restartICE(credentials: credentials, now: now, into: out.network)
        takeEvents(nil, now: now, into: out)
    }

    private mutating func explained<Result>(_ body: (inout Negotiator) throws -> Result) throws -> Result {
        do { return try body(&negotiator) } catch {
            throw SessionError("the session description can't be used: \(error)")
        }
    }

    // MARK: Candidates

    /// Descriptions after the first one carry our candidates: whoever restarts ICE by them has forgotten the old ones, and
    /// takes nothing from us until it has learnt others. The first one comes before anything is known of who may be used.
    private mutating func nameCandidates() {
        guard candidates.canAnnounce, settings.remoteAddressMap == nil else { return }
        let ufrag = negotiator.credentials.ufrag
        negotiator.localCandidates = peer.localCandidates.map { $0.sdp(ufrag: ufrag) }
    }

    private mutating func beginAnnouncing(into work: SessionWork) {
        candidates.begin()
        announceCandidates(into: work)
    }

    /// Tells the other side of the candidates that it has not been told of.
    package mutating func announceCandidates(into work: SessionWork) {
        guard candidates.canAnnounce, settings.remoteAddressMap == nil, let line = negotiator.lines.first else {
            return
        }
        let ufrag = negotiator.credentials.ufrag
        for candidate in peer.localCandidates {
            let text = candidate.sdp(ufrag: ufrag).encoded
            guard candidates.take(text) else { continue }
            work.tell(
                .localCandidate(
                    SessionCandidate(candidate: text, mid: line.mid, lineIndex: line.index, usernameFragment: ufrag)))
        }
    }

    /// Takes a candidate of the other side. One whose host is a name of the local network (`.local`) is handed to whoever
    /// looks it up; others that can't be used are ignored.
    package mutating func addRemoteCandidate(_ candidate: SessionCandidate, now: Instant, into out: SessionOutbox) {
        guard !candidate.candidate.isEmpty, let parsed = try? ICECandidate(parsing: candidate.candidate) else { return }
        take(parsed, ufrag: candidate.usernameFragment, now: now, into: out)
        takeEvents(nil, now: now, into: out)
    }

    /// Takes a candidate whose address was looked up.
    mutating func addFoundCandidate(_ candidate: ICECandidate, now: Instant, into out: SessionOutbox) {
        peer.addRemoteCandidate(reachable(candidate), now: now, into: out.network)
        takeEvents(nil, now: now, into: out)
    }

    /// - Parameter ufrag: of its generation, where the candidate does not say it itself.
    mutating func take(_ candidate: ICECandidate, ufrag: String? = nil, now: Instant, into out: SessionOutbox) {
        guard HiddenHostName(candidate.host) != nil else {
            peer.addRemoteCandidate(reachable(candidate), now: now, into: out.network)
            return
        }
        var named = candidate
        // What is found later must not be taken for one of a later generation.
        if named.ufrag == nil, let ufrag = ufrag ?? negotiator.remoteTransport?.ufrag {
            named.extensions.append(ICECandidate.Extension(name: "ufrag", value: ufrag))
        }
        out.work.events.append(.hiddenCandidate(named))
    }

    /// The candidate with the address under which we are to reach it.
    func reachable(_ candidate: ICECandidate) -> ICECandidate {
        guard let map = settings.remoteAddressMap, candidate.transportProtocol == .udp, let address = candidate.address
        else { return candidate }
        let mapped = map(address)
        var result = candidate
        result.host = mapped.host
        result.port = mapped.port
        return result
    }
}
