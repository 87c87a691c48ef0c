import RTCWire

extension Peer {
    /// Notes when a packet came, where its sender is to be told, or is to be told what we make of it.
    @inline(__always)
    mutating func recordArrival(
        _ extensions: RTPExtensions, _ header: RTPHeader, datagram: Int, packet: Int, _ arrival: Instant,
        _ now: Instant
    ) {
        if let number = extensions.transportSequenceNumber, receiving.table.takesTransportFeedback {
            arrivals.record(number, ssrc: header.ssrc, size: datagram, arrival: arrival, now: now)
        } else if let sendTime = extensions.absSendTime, receiving.table.takesReceiverEstimate {
            receiverEstimator.add(
                sendTime: sendTime, ssrc: header.ssrc, size: max(0, packet - header.payloadOffset), arrival: arrival,
                roundTrip: roundTripTime, now: now)
        }
    }

    /// Tells the other side what the path from there bears.
    mutating func sendDueReceiverEstimate(_ outbox: Outbox, now: Instant) {
        guard receiverEstimator.deadline <= now, srtpProfile != nil,
            let (bitrate, sources) = receiverEstimator.takeEstimate(now: now)
        else { return }
        statistics.receiverEstimatesSent += 1
        sendFeedback(
            .remb(
                ReceiverEstimatedMaximumBitrate(
                    senderSSRC: reportingSSRC, bitrate: UInt64(max(0, bitrate)), ssrcs: sources)), outbox)
    }

    /// Tells the other side which of its packets came, and when.
    mutating func sendDueTransportFeedback(_ now: Instant, _ outbox: Outbox) {
        guard arrivals.deadline <= now, srtpProfile != nil else { return }
        let sender = configuration.rtcp.sender == .reportedSource ? feedbackSSRC : reportingSSRC
        for feedback in arrivals.takeFeedback(senderSSRC: sender, limit: feedbackRoom, now: now) {
            statistics.transportFeedbackSent += 1
            sendFeedback(.transportFeedback(feedback), outbox)
        }
    }

    /// Works out what became of our packets.
    mutating func handle(_ feedback: TransportFeedback, _ now: Instant, _ outbox: Outbox) {
        statistics.transportFeedbackReceived += 1
        let results = sentPackets.settle(feedback)
        guard !results.isEmpty else { return }
        for result in results where result.received != nil {
            if let packet = result.packet { sending.release(packet) }
        }
        guard !configuration.forwards else { return judge(results, now, outbox) }
        outbox.events.append(.packetResults(results))
        bandwidth.update(results, roundTrip: roundTripTime, now: now)
        pace(bandwidth.bitrate, now)
        let change = abs(bandwidth.bitrate - announcedBitrate)
        guard bandwidth.isLimited || isPacing, change * 50 >= announcedBitrate else { return }
        announcedBitrate = bandwidth.bitrate
        outbox.events.append(.targetBitrate(announcedBitrate))
    }

    /// Makes of what the other side tells what it would make of it, had it been asked for that.
    private mutating func judge(_ results: [PacketResult], _ now: Instant, _ outbox: Outbox) {
        let forward = forwardEstimator ?? ForwardEstimator()
        forwardEstimator = forward
        for result in results {
            guard let received = result.received else { continue }
            forward.estimator.add(
                sent: result.sent, size: max(0, result.size - Peer.headers), arrival: received,
                roundTrip: roundTripTime, now: now)
        }
        guard forward.estimator.deadline <= now, let estimate = forward.estimator.takeEstimate(now: now) else {
            return
        }
        outbox.events.append(.receiverEstimate(bitrate: estimate.bitrate, ssrcs: []))
    }

    /// Of a packet that is forwarded, usually: UDP and IPv4, RTP, mid and number, tag; bytes.
    private static let headers = PacingBudget.datagramOverhead + RTPHeader.fixedLength + 12 + 16

    func handle(_ estimate: ReceiverEstimatedMaximumBitrate, _ outbox: Outbox) {
        let bitrate = Int(clamping: estimate.bitrate)
        outbox.events.append(.receiverEstimate(bitrate: bitrate, ssrcs: estimate.ssrcs))
    }

    /// Counts a packet as sent, with the headers below it, and what may be heard of it where it is numbered.
    ///
    /// - Parameter sequence: of the packet, or of the one that it repeats; nil where that is not known.
    mutating func noteSent(_ length: Int, stream index: Int, _ sequence: UInt16?, _ now: Instant) {
        let probe = pacing?.pacer.probes.id ?? 0
        pacing?.pacer.note(bytes: length, now: now)
        let size = length + PacingBudget.datagramOverhead
        guard sending.streams[index].configuration.extensionMap.id(for: .transportSequenceNumber) != 0 else {
            return bandwidth.noteUncounted(size, now: now)
        }
        let ssrc = sending.streams[index].ssrc
        let packet = sending.streams[index].isExternal ? nil : sequence.map { SentPacketID(ssrc: ssrc, sequence: $0) }
        sentPackets.add(size: size, packet: packet, probe: probe, now: now)
    }
}
