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
        guard let configuration = line.sendStream(codec: codec.name) else { return }
        let sender = try makeSender(pending.track, ssrc: pending.ssrc, flow: flow)
        flow.perform { peer, _, _ in peer.addSendStream(configuration) }
        senders[line.index] = sender
        sender.start()
    }

    private func makeSender(_ track: LocalTrack, ssrc: UInt32, flow: PeerFlow) throws -> any TrackSender {
        switch track.media {
        case .audio(let source, let encoding):
            try AudioSender(
                track: track, source: source, encoding: encoding, ssrc: ssrc, flow: flow, worker: engine.nextWorker())
        case .video, .encodedVideo:
            VideoSender(
                track: track, input: try VideoInput(track.media), ssrc: ssrc, flow: flow, worker: engine.nextWorker())
        }
    }

    func stopSender(line: Int) {
        guard let sender = senders.removeValue(forKey: line) else { return }
        sender.stop()
        flow?.perform { peer, outbox, now in
            peer.removeSendStream(ssrc: sender.ssrc, sendBye: true, now: now, into: outbox)
        }
    }

    // MARK: Receiving

    private func updateReceiver(_ line: MediaLine) throws {
        while receivers.count <= line.index { receivers.append(nil) }
        let present = receivers[line.index]?.track
        let wanted = line.isRTP && !line.isStopped && line.direction.receives ? line.remoteStreamID : nil
        if let present, wanted?.streamID == present.streamID, wanted?.trackID == present.trackID { return }
        if let present {
            receivers[line.index]?.close()
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
                track: track, settings: playout, hasLevels: line.extensionMap.id(for: .audioLevel) != 0,
                worker: engine.nextWorker(), now: MonotonicClock.now())
        case .video:
            return try VideoReceiver(
                track: track, session: self, worker: engine.nextWorker(), now: MonotonicClock.now())
        }
    }
}
