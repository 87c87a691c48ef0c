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
            result.transportProtocol = peer.selectedPair.map { $0.remote.transport == .tcp ? "tcp" : "udp" }
        }
        result.connections = [connectionDetail]
        for line in sent.tracks.indices { if let counted = senderStatistics(line) { result.senders.append(counted) } }
        for line in received.lines {
            if let counted = receiverStatistics(line, now: now) { result.receivers.append(counted) }
        }
        return result
    }

    private func senderStatistics(_ line: Int) -> SenderStatistics? {
        guard let sender = sent.tracks[line], let track = sender.track else { return nil }
        var result = SenderStatistics()
        result.trackID = track.id
        result.kind = track.kind
        result.codec = sender.audio?.codecName ?? negotiator.lines[line].sendCodec?.name ?? ""
        result.detail = detail(line, isSent: true, named: result.codec)
        for ssrc in sender.ssrcs {
            guard let counted = peer.sendStatistics(ssrc: ssrc) else { continue }
            result.detail.streams.append(.init(ssrc: ssrc, counted: counted))
        }
        var streams: [UInt32: StreamStatistics] = [:]
        for ssrc in sender.ssrcs { streams[ssrc] = peer.sendStatistics(ssrc: ssrc) }
        sender.count(into: &result) { streams[$0] }
        return result
    }

    func receiverStatistics(_ line: Int, now: Instant) -> ReceiverStatistics? {
        guard let receiver = received[line] else { return nil }
        var result = ReceiverStatistics()
        result.trackID = receiver.track.trackID
        result.streamID = receiver.track.streamID
        result.kind = receiver.track.kind
        receiver.count(into: &result, now: now)
        result.detail = detail(line, isSent: false, named: result.codec)
        if let ssrc = receiver.ssrc, let stream = peer.receiveStatistics(ssrc: ssrc) {
            result.detail.streams = [.init(ssrc: ssrc, counted: stream)]
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

    // MARK: For webrtc-stats

    /// Tells this connection from any other one.
    private var connectionID: String { String(negotiator.configuration.sessionID, radix: 36) }

    private func detail(_ line: Int, isSent: Bool, named name: String? = nil) -> TrackDetail {
        var result = TrackDetail()
        result.connection = connectionID
        guard negotiator.lines.indices.contains(line) else { return result }
        let codecs = negotiator.lines[line].codecs
        let codec = codecs.first { $0.name.lowercased() == name?.lowercased() }
        result.mid = negotiator.lines[line].mid
        result.codec = codec.map { TrackDetail.Codec($0, isSent: isSent) }
        return result
    }

    private var connectionDetail: ConnectionDetail {
        var result = ConnectionDetail()
        result.id = connectionID
        result.ice.state = peer.iceState
        result.ice.role = peer.iceRole
        result.ice.ufrag = peer.localCredentials.ufrag
        result.ice.selections = peer.iceStatistics.selections
        result.ice.locals = peer.localCandidates
        result.ice.remotes = peer.remoteCandidates
        result.ice.pairs = peer.pairStatistics
        result.dtls = peer.dtlsStatus
        result.srtpProfile = srtpProfile
        result.counted = peer.statistics
        result.estimatedBitrate = peer.statistics.transportFeedbackReceived > 0 ? peer.estimatedBitrate : nil
        result.channels = peer.dataChannelStatistics
        result.channelsOpened = peer.dataChannelsOpened
        result.playedTicks = playout.played
        result.skippedTicks = playout.skipped
        result.skips = playout.skips
        return result
    }
}
