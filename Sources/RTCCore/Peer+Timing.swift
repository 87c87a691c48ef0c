import RTCWire

extension Peer {
    /// The soonest moment at which something is to be done, and what; nil where nothing is.
    ///
    /// A moment that has passed means at once, after the batch of datagrams at hand.
    package var nextDeadline: PeerDeadline? {
        guard state != .closed else { return nil }
        var soonest = PeerDeadline(instant: .distantFuture, reason: .ice)
        if let deadline = ice.nextDeadline { soonest.take(deadline.instant, .ice) }
        if dtlsFailure == nil, selectedPair != nil, let deadline = dtlsDeadline {
            soonest.take(deadline, .dtls)
        }
        if mediaDestination != nil {
            soonest.take(nextReport, .report)
            soonest.take(arrivals.deadline, .transportFeedback)
            soonest.take(receiverEstimator.deadline, .receiverEstimate)
            if isPacing { soonest.take(pacingDeadline, .pacing) }
            if let deadline = dataDeadline { soonest.take(deadline, .data) }
            for index in receiving.streams.indices {
                soonest.take(receiving.streams[index].losses.deadline, .nack)
                soonest.take(receiving.streams[index].keyFrames.deadline, .keyFrameRequest)
            }
        }
        return soonest.instant == .distantFuture ? nil : soonest
    }

    /// Does what is due.
    package mutating func advance(to now: Instant, into outbox: Outbox) {
        guard state != .closed else { return }
        latest = max(latest, now)
        advanceICE(now, outbox)
        advanceDTLS(now, outbox)
        guard mediaDestination != nil else { return }
        sendDueNACKs(now, outbox)
        sendDueKeyFrameRequests(now, outbox)
        sendDueTransportFeedback(now, outbox)
        sendDueReceiverEstimate(outbox, now: now)
        sendDueReports(now, outbox)
        sendPaced(now, outbox)
        advanceData(now, outbox)
    }
}

extension PeerDeadline {
    fileprivate mutating func take(_ other: Instant, _ reason: Reason) {
        guard other < instant else { return }
        self = PeerDeadline(instant: other, reason: reason)
    }
}
