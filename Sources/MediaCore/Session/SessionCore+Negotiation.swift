import RTCCore
import RTCTransport
import RTCWire

/// Carries what was negotiated over to the peer, the senders and the receivers.
extension SessionCore {
    func applyNegotiation() throws {
        applyTransport()
        flow?.perform { peer, _, _ in
            peer.setReceiveMap(ReceiveMap(negotiator.lines))
            peer.setSCTP(negotiator.lines)
        }
        for line in negotiator.lines {
            try updateSender(line)
            try updateReceiver(line)
        }
    }

    private func applyTransport() {
        guard let remote = negotiator.remoteTransport, let flow else { return }
        let isNew = remote.generation != appliedGeneration
        appliedGeneration = remote.generation
        flow.perform { peer, outbox, now in
            if isNew {
                peer.setRemote(
                    credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd),
                    fingerprint: remote.fingerprint, dtlsRole: remote.localRole,
                    remoteIsLite: remote.isLite, now: now, into: outbox)
            }
            for candidate in remote.candidates {
                peer.addRemoteCandidate(reachable(candidate), now: now, into: outbox)
            }
        }
    }

    // MARK: Sending

    private func updateSender(_ line: MediaLine) throws {
        guard line.direction.sends, let codec = line.sendCodec, let pending = waiting.removeValue(forKey: line.index),
            let flow
        else {
            if senders[line.index] != nil, !line.direction.sends { stopSender(line: line.index) }
            return
        }
        let streams = line.sendStreams(codec: codec.name)
        guard !streams.isEmpty else { return }
        let sender = try makeSender(pending, line: line, codec: codec, streams: streams, flow: flow)
        flow.perform { peer, _, _ in for stream in streams { peer.addSendStream(stream) } }
        senders[line.index] = sender
        if let wanted = activeLayers.removeValue(forKey: line.index) { sender.setActiveLayers(wanted) }
        sender.start()
    }

    private func makeSender(
        _ track: LocalTrack, line: MediaLine, codec: NegotiatedCodec, streams: [SendStreamConfiguration], flow: PeerFlow
    ) throws -> any TrackSender {
        let encryption = frameEncryption
        func sealer(_ ssrc: UInt32) -> FrameSealer? { encryption.map { FrameSealer($0, ssrc: ssrc) } }
        switch track.media {
        case .audio(let source, let encoding):
            let opus = line.codecs.first { $0.name == CodecCapability.opus.name }
            let stream = AudioSender.Stream(
                ssrc: streams[0].ssrc,
                redundantPayloadType: codec.name == CodecCapability.red.name ? opus?.sendPayloadType : nil,
                wantsDTX: opus?.remoteParameters["usedtx"] == "1")
            return try AudioSender(
                track: track, source: source, encoding: encoding, stream: stream, flow: flow,
                worker: engine.audioLoop(), wakes: wakes, sealer: sealer(stream.ssrc))
        case .video, .encodedVideo:
            return try VideoSender(
                track: track, streams: streams, flow: flow, worker: engine.nextWorker(), wakes: wakes, sealer: sealer)
        }
    }

    func stopSender(line: Int) {
        guard let sender = senders.removeValue(forKey: line) else { return }
        sender.stop()
        flow?.perform { peer, outbox, now in
            for ssrc in sender.ssrcs { peer.removeSendStream(ssrc: ssrc, sendBye: true, now: now, into: outbox) }
        }
    }

    func setActiveLayers(_ rids: Set<String>, of sender: MediaSession.Sender) {
        guard isCurrent(sender) else { return }
        if let present = senders[sender.line] {
            present.setActiveLayers(rids)
        } else {
            activeLayers[sender.line] = rids
        }
    }

    func setTargetBitrate(_ bitrate: Int?, of sender: MediaSession.Sender) {
        guard isCurrent(sender) else { return }
        senders[sender.line]?.setTargetBitrate(bitrate)
    }

    // MARK: Receiving

    private func updateReceiver(_ line: MediaLine) throws {
        while receivers.count <= line.index { receivers.append(nil) }
        let present = receivers[line.index]?.track
        let wanted = line.isRTP && !line.isStopped && line.direction.receives ? line.remoteStreamID : nil
        if let present, wanted?.streamID == present.streamID, wanted?.trackID == present.trackID {
            receivers[line.index]?.update(codecs: line.codecs)
            return
        }
        if let present {
            if let receiver = receivers[line.index] { end(receiver) }
            receivers[line.index] = nil
            emit(.trackRemoved(present))
        }
        guard let wanted, let codec = line.codecs.first else { return }
        let track = RemoteTrack(
            kind: line.kind == .audio ? .audio : .video, mid: line.mid, streamID: wanted.streamID,
            trackID: wanted.trackID ?? "")
        receivers[line.index] = try makeReceiver(track, codec: codec, line: line)
        emit(.trackAdded(track))
    }

    private func makeReceiver(_ track: RemoteTrack, codec: NegotiatedCodec, line: MediaLine) throws -> any TrackReceiver
    {
        switch track.kind {
        case .audio:
            startPlayout()
            return try AudioReceiver(
                track: track, codecs: line.codecs, encryption: frameEncryption, settings: playout,
                worker: engine.nextWorker(), now: MonotonicClock.now())
        case .video:
            return try VideoReceiver(
                track: track, codecs: line.codecs, encryption: frameEncryption, session: self,
                worker: engine.nextWorker(),
                now: MonotonicClock.now())
        }
    }
}
