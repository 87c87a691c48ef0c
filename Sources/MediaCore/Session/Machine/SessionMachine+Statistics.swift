import RTCCore
import RTCWire

extension SessionMachine {
    /// What has been counted so far, but for what only a driver knows: the socket, relays, late timers.
    package func statistics(now: Instant) -> SessionStatistics {
        var result = SessionStatistics()
        result.srtpProfile = srtpProfile
        result.setup = setup
        result.bytesSent = peer.statistics.bytesSent
        result.bytesReceived = peer.statistics.bytesReceived
        result.datagramsSent = peer.statistics.datagramsSent
        result.datagramsReceived = peer.statistics.datagramsReceived
        result.addEnded(received.ended.endedReceivers)
        result.roundTripMilliseconds = peer.roundTripTime?.milliseconds
        if peer.state != .closed {
            result.selectedPair = peer.selectedPair.map { "\($0.local) \($0.remote)" }
            let types = peer.selectedTypes
            result.localCandidateType = types?.local.name
            result.remoteCandidateType = types?.remote.name
        }
        for line in sent.tracks.indices { if let counted = senderStatistics(line) { result.senders.append(counted) } }
        for line in received.tracks.indices {
            if let counted = receiverStatistics(line, now: now) { result.receivers.append(counted) }
        }
        return result
    }

    private func senderStatistics(_ line: Int) -> SenderStatistics? {
        guard let sender = sent.tracks[line], let track = sender.track else { return nil }
        var result = SenderStatistics()
        result.trackID = track.id
        result.kind = track.kind
        result.codec = negotiator.lines[line].sendCodec?.name ?? ""
        var streams: [UInt32: StreamStatistics] = [:]
        for ssrc in sender.ssrcs { streams[ssrc] = peer.sendStatistics(ssrc: ssrc) }
        sender.count(into: &result) { streams[$0] }
        return result
    }

    func receiverStatistics(_ line: Int, now: Instant) -> ReceiverStatistics? {
        guard let receiver = received.tracks[line] else { return nil }
        var result = ReceiverStatistics()
        result.trackID = receiver.track.trackID
        result.streamID = receiver.track.streamID
        result.kind = receiver.track.kind
        receiver.count(into: &result, now: now)
        if let ssrc = receiver.ssrc, let stream = peer.receiveStatistics(ssrc: ssrc) {
            result.packetsReceived = stream.packets
            result.bytesReceived = stream.bytes
            result.packetsLost = stream.lost
            result.packetsRecovered = stream.recovered
            result.nacksSent = stream.nacksSent
            result.keyFrameRequestsSent = stream.plisSent + stream.firsSent
            result.jitterMilliseconds = stream.jitter * 1000
        }
        return result
    }
}
