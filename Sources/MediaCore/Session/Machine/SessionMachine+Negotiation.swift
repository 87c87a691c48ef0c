import RTCCore
import RTCWire

/// Carries what was negotiated over to the peer, the senders and the receivers.
extension SessionMachine {
    mutating func applyNegotiation(now: Instant, into out: SessionOutbox) throws {
        applyTransport(now: now, into: out)
        peer.setReceiveMap(ReceiveMap(negotiator.lines))
        peer.setSCTP(negotiator.lines)
        takeEvents(nil, now: now, into: out)
        for line in negotiator.lines {
            try updateSender(line, now: now, into: out)
            try updateReceiver(line, now: now, into: out)
        }
        updatePacing(now: now, into: out)
    }

    private mutating func applyTransport(now: Instant, into out: SessionOutbox) {
        guard let remote = negotiator.remoteTransport else { return }
        let isNew = remote.generation != appliedGeneration
        appliedGeneration = remote.generation
        if isNew {
            setup.note(\.described, at: now)
            peer.setRemote(
                credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd), fingerprint: remote.fingerprint,
                dtlsRole: remote.localRole, remoteIsLite: remote.isLite, now: now, into: out.network)
        }
        for candidate in remote.candidates { take(candidate, now: now, into: out) }
        takeEvents(nil, now: now, into: out)
    }

    // MARK: Sending

    private mutating func updateSender(_ line: MediaLine, now: Instant, into out: SessionOutbox) throws {
        guard line.direction.sends else { return stopSender(line.index, keepsWaiting: true, now: now, into: out) }
        guard let codec = line.sendCodec else { return }
        let streams = line.sendStreams(codec: codec.name)
        guard !streams.isEmpty, let pending = sent.takeWaiting(line.index) else { return }
        let sender = try makeSender(pending, line: line, codec: codec, streams: streams, now: now)
        for stream in streams { peer.addSendStream(stream) }
        sent.start(sender, line: line.index, now: now)
        sent.advance(to: now, into: out.work)
    }

    private mutating func makeSender(
        _ track: LocalTrack, line: MediaLine, codec: NegotiatedCodec, streams: [SendStreamConfiguration], now: Instant
    ) throws -> SentTrack {
        let encryption = settings.frameEncryption
        func sealer(_ ssrc: UInt32) -> FrameSealer? { encryption.map { FrameSealer($0, ssrc: ssrc) } }
        let number = takeNumber(line.index)
        let opus = line.codecs.first { $0.name == CodecCapability.opus.name }
        var stream = AudioSender.Stream(ssrc: streams[0].ssrc, wantsDTX: opus?.remoteParameters["usedtx"] == "1")
        let first = UInt32.random(in: 0...UInt32.max, using: &random)
        switch track.media {
        case .audio(let source, let encoding):
            stream.redundantPayloadType = codec.name == CodecCapability.red.name ? opus?.sendPayloadType : nil
            stream.redundantFrames = encoding.red ? encoding.redundantFrames : 0
            let coder = try AudioCoder(
                source, encoding, wantsDTX: stream.wantsDTX, sealer: sealer(stream.ssrc), marker: track.marker,
                firstTimestamp: first)
            return SentTrack(audio: AudioSender(track, number, stream: stream, coder: coder, now: now))
        case .encodedAudio(let source):
            let coder = try AudioCoder(encoded: source, sealer: sealer(stream.ssrc), firstTimestamp: first)
            return SentTrack(audio: AudioSender(track, number, stream: stream, coder: coder, now: now))
        case .video, .encodedVideo:
            try checkPacketization(codec)
            return SentTrack(
                video: try VideoSender(
                    track, number, codec: VideoCodec(name: codec.name) ?? .vp8, streams: streams, now: now,
                    using: &random, sealer: sealer))
        }
    }

    /// Whoever takes H.264 in single NAL units only (RFC 6184 section 6.2) has no use for our packets.
    private func checkPacketization(_ codec: NegotiatedCodec) throws(MediaError) {
        guard codec.name == VideoCodec.h264.name, codec.remoteParameters["packetization-mode"] != "1" else { return }
        throw MediaError(
            .unsupported, "video track", "the other side takes H264 without fragments (packetization mode 0)",
            remedy: "use VP8 or VP9")
    }

    /// Ends what a line sends.
    ///
    /// - Parameter keepsWaiting: what waits for the line's answer goes on waiting.
    mutating func stopSender(
        _ line: Int, keepsWaiting: Bool = false, now: Instant, into out: SessionOutbox
    ) {
        guard !keepsWaiting || sent.isSending(line) else { return }
        for ssrc in sent.stop(line) { peer.removeSendStream(ssrc: ssrc, sendBye: true, now: now, into: out.network) }
    }

    // MARK: Receiving

    private mutating func updateReceiver(_ line: MediaLine, now: Instant, into out: SessionOutbox) throws {
        let present = received[line.index]?.track
        let wanted = line.isRTP && !line.isStopped && line.direction.receives ? line.remoteStreamID : nil
        if let present, wanted?.streamID == present.streamID, wanted?.trackID == present.trackID {
            return received.update(codecs: line.codecs, line: line.index)
        }
        if let present {
            endReceiver(line.index, now: now)
            out.work.tell(.trackRemoved(present))
        }
        guard let wanted, !line.codecs.isEmpty else { return }
        let track = RemoteTrack(
            kind: line.kind == .audio ? .audio : .video, mid: line.mid, streamID: wanted.streamID,
            trackID: wanted.trackID ?? "")
        received.set(try makeReceiver(track, line: line, now: now), line: line.index)
        out.work.tell(.trackAdded(track))
    }

    private mutating func makeReceiver(_ track: RemoteTrack, line: MediaLine, now: Instant) throws -> ReceivedTrack {
        let number = takeNumber(line.index)
        var result = ReceivedTrack(track: track)
        switch track.kind {
        case .audio:
            if settings.reception == .decoded { playout.start(now: now) }
            result.audio = try AudioReceiver(
                track, number, codecs: line.codecs, encryption: settings.frameEncryption, settings: settings.playout,
                reception: settings.reception, now: now)
        case .video:
            result.video = try VideoReceiver(
                track, number, codecs: line.codecs, encryption: settings.frameEncryption,
                reception: settings.reception, release: settings.playout.video, pool: settings.pictures, now: now)
        }
        return result
    }

    /// Lets go of a receiver and keeps what it has counted.
    mutating func endReceiver(_ line: Int, now: Instant) {
        guard received[line] != nil else { return }
        received.end(line, counted: receiverStatistics(line, now: now))
    }
}
