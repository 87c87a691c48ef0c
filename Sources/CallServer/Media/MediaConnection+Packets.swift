import RTCCore
import RTCTransport
import RTCWire
import SFUCore

extension MediaConnection: PeerFlowHandler {
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        if !ingress.receive(packet, in: buffer) { statistics.dropped += 1 }
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        switch event {
        case .stateChanged(let state):
            if state == .connected {
                failure = nil
                startConsumers()
            }
            owner?.connection(self, changedTo: state)
        case .connected(let profile):
            logger.debug("media connected", metadata: ["profile": "\(profile)"])
        case .failed(let failure):
            self.failure = failure
            logger.notice("media failed", metadata: ["reason": "\(failure)"])
        case .senderReport(let ssrc, let ntp, let timestamp, let arrival):
            ingress.receiveSenderReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: timestamp, arrival: arrival)
        case .keyFrameRequest(let ssrc):
            consumers[ssrc]?.requestKeyFrame(now: MonotonicClock.now())
        case .nack(let ssrc, let sequences):
            consumers[ssrc]?.resend(sequences, now: MonotonicClock.now(), spacing: repetitionSpacing)
        case .receiverEstimate(let bitrate, _): feedback.note(estimate: bitrate)
        case .receiverReport(let ssrc, let loss, _, let jitter, let trip):
            feedback.note(ssrc: ssrc, loss: loss, jitter: jitter, roundTrip: trip)
        case .packetResults, .targetBitrate: break
        case .dataChannelOpened(let id, let configuration): dataChannelOpened(id, configuration)
        case .dataMessage(let id, let bytes, _): dataMessage(id, bytes)
        case .dataChannelClosed(let id): dataChannelClosed(id)
        case .rtp, .selectedPair, .closed, .bye, .applicationData, .bufferedAmountLow: break
        }
    }

    /// Shorter than the round trip, so that a request which the client times by its own measure isn't refused.
    private var repetitionSpacing: Interval {
        min(max((flow.peer.roundTripTime ?? .milliseconds(20)) * 0.75, .milliseconds(5)), .milliseconds(250))
    }
}

extension MediaConnection: ConsumerSink {
    func forward(_ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool {
        var isSent = false
        flow.perform { peer, outbox, now in
            isSent = peer.forward(packet, prefix: prefix, payload: payload, now: now, into: outbox)
        }
        return isSent
    }

    func sendSenderReport(_ report: ForwardedReport) {
        flow.perform { peer, outbox, now in peer.sendSenderReports([report], now: now, into: outbox) }
    }

    /// Reports on everything that flows, in one datagram.
    func sendSenderReports() {
        flow.perform { peer, outbox, now in
            let reports = sends.compactMap { $0.consumer?.senderReport(now: now) }
            peer.sendSenderReports(reports, now: now, into: outbox)
        }
    }

    func wake(_ consumer: Consumer, at instant: Instant) {
        let wait = max(0, (instant - MonotonicClock.now()).nanoseconds)
        flow.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(wait)) { [weak self, weak consumer] in
            guard let self, let consumer, consumers[consumer.configuration.ssrc] === consumer else { return }
            consumer.fill(now: MonotonicClock.now())
            if !consumer.isFilling { ended(consumer) }
        }
    }
}

extension MediaConnection: ProducerSource {
    func requestKeyFrame(ssrc: UInt32, isSmallest: Bool) {
        let interval: Interval = isSmallest ? .milliseconds(500) : .seconds(1)
        flow.perform { peer, outbox, now in
            peer.requestKeyFrame(ssrc: ssrc, interval: interval, now: now, into: outbox)
        }
    }

    func keyFrameReceived(ssrc: UInt32) { flow.perform { peer, _, _ in peer.keyFrameReceived(ssrc: ssrc) } }
}
