import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// What the peer reports, and the clock of the playout.
extension SessionCore: PeerFlowHandler {
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        guard packet.line >= 0, packet.line < receivers.count, let receiver = receivers[packet.line] else { return }
        receiver.receive(packet, payload: UnsafeRawBufferPointer(rebasing: buffer[packet.payload]))
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        switch event {
        case .connected(let profile):
            srtpProfile = profile.description
            emit(.connected(srtpProfile: profile.description))
        case .stateChanged(let state): emit(.stateChanged(SessionState(state)))
        // Another negotiation may find another path; `stateChanged` says it.
        case .failed(.ice): break
        case .failed(let failure): emit(.failed(failure.description))
        case .closed: emit(.stateChanged(.closed))
        case .keyFrameRequest(let ssrc):
            for sender in senders.values where sender.ssrcs.contains(ssrc) { sender.keyFrameRequested(ssrc: ssrc) }
        case .targetBitrate(let bitrate): setTargetBitrate(bitrate)
        case .receiverEstimate, .packetResults: break
        case .dataChannelOpened(let id, let configuration): dataChannelOpened(id, configuration)
        case .dataMessage(let id, let bytes, let isText): dataMessage(id, bytes, isText: isText)
        case .dataChannelClosed(let id): dataChannelClosed(id)
        case .rtp, .selectedPair, .senderReport, .nack, .receiverReport, .bye, .applicationData, .bufferedAmountLow:
            break
        }
    }

    func requestKeyFrame(ssrc: UInt32) {
        flow?.perform { peer, outbox, now in peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox) }
    }

    // MARK: Playout

    func startPlayout() {
        guard playoutPump == nil else { return }
        let interval = Interval.milliseconds(AudioReceiver.tickFrames / 48)
        let pump = PeriodicPump(loop: eventLoop, interval: interval, meter: wakes) { [weak self] _, due in
            self?.playoutTick(due)
        }
        playoutPump = pump
        pump.start()
    }

    private func playoutTick(_ now: Instant) {
        levelTick += 1
        var deliveries: [AudioReceiver.Delivery] = []
        for case let receiver as AudioReceiver in receivers {
            if let delivery = receiver.play(now: now) { deliveries.append(delivery) }
            guard let level = receiver.takeLevel() else { continue }
            levels.append(
                AudioLevelReport(
                    trackID: receiver.track.trackID, level: Int(level), atNanoseconds: now.nanoseconds))
        }
        if !deliveries.isEmpty {
            // One hop for all tracks: each costs more than decoding a packet.
            let played = deliveries
            sinkWorker.execute { for delivery in played { delivery.deliver() } }
        }
        // Two ticks share an event: half the crossings, and still soon enough for detecting speakers.
        guard levelTick % 2 == 0, !levels.isEmpty else { return }
        emit(.audioLevels(levels))
        levels.removeAll(keepingCapacity: true)
    }

    // MARK: Statistics

    func statistics() -> SessionStatistics {
        var result = SessionStatistics()
        result.srtpProfile = srtpProfile
        result.lateness = wakes.lateness
        let socket = mux.statistics
        result.bytesSent = socket.bytesSent
        result.bytesReceived = socket.bytesReceived
        result.datagramsSent = socket.datagramsSent
        result.datagramsReceived = socket.datagramsReceived
        result.receiveBufferDrops = socket.receiveBufferDrops
        result.addEnded(ended.endedReceivers)
        guard let flow else { return result }
        result.roundTripMilliseconds = flow.peer.roundTripTime?.milliseconds
        if flow.peer.state != .closed {
            result.selectedPair = flow.peer.selectedPair.map { "\($0.local) \($0.remote)" }
            let types = flow.peer.selectedTypes
            result.localCandidateType = types?.local.name
            result.remoteCandidateType = types?.remote.name
        }
        let relayed = mux.relayTraffic
        result.relayedBytesSent = relayed.bytesSent
        result.relayedBytesReceived = relayed.bytesReceived
        let hasRelay = flow.peer.localCandidates.contains { $0.type == .relay }
        if policy == .relay, !hasRelay { result.awaitedRelays = relayWatch.awaited }
        for (line, sender) in senders.sorted(by: { $0.key < $1.key }) {
            result.senders.append(statistics(of: sender, line: line, flow: flow))
        }
        for case let receiver? in receivers { result.receivers.append(statistics(of: receiver, flow: flow)) }
        return result
    }

    private func statistics(of sender: any TrackSender, line: Int, flow: PeerFlow) -> SenderStatistics {
        var result = SenderStatistics()
        result.trackID = sender.track.id
        result.kind = sender.track.kind
        result.codec = negotiator.lines[line].sendCodec?.name ?? ""
        sender.count(into: &result) { flow.peer.sendStatistics(ssrc: $0) }
        return result
    }

    /// Lets go of a receiver and keeps what it has counted.
    func end(_ receiver: any TrackReceiver) {
        receiver.close()
        guard let flow else { return }
        ended.addEnded([statistics(of: receiver, flow: flow)])
    }

    private func statistics(of receiver: any TrackReceiver, flow: PeerFlow) -> ReceiverStatistics {
        var result = ReceiverStatistics()
        result.trackID = receiver.track.trackID
        result.streamID = receiver.track.streamID
        result.kind = receiver.track.kind
        receiver.count(into: &result)
        if let ssrc = receiver.ssrc, let stream = flow.peer.receiveStatistics(ssrc: ssrc) {
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

extension SessionState {
    init(_ state: PeerState) {
        self =
            switch state {
            case .new: .new
            case .connecting: .connecting
            case .connected: .connected
            case .disconnected: .disconnected
            case .failed: .failed
            case .closed: .closed
            }
    }
}
