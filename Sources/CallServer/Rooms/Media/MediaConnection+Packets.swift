import RTCCore
import RTCTransport
import RTCWire
import SFUCore

extension MediaConnection: PeerFlowHandler {
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        guard let producer = ingress[line: packet.line] else { return media.noteUnknownPacket() }
        media.receive(packet, in: buffer, from: producer)
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        switch event {
        case .stateChanged(let state):
            if state == .connected {
                failure = nil
                startConsumers()
            }
            owner?.connection(self, changedTo: state, now: flow.now)
        case .connected(let profile):
            logger.debug("media connected", metadata: ["profile": "\(profile)"])
        case .failed(let failure):
            self.failure = failure
            logger.notice("media failed", metadata: ["reason": "\(failure)"])
        case .senderReport(let ssrc, let ntp, let timestamp, let arrival):
            receivedSenderReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: timestamp, arrival: arrival)
        case .keyFrameRequest(let ssrc):
            guard let consumer = outgoing.consumer(ssrc: ssrc) else { return }
            media.perform { room, outbox, now in room.requestKeyFrame(consumer, now: now, into: &outbox) }
        case .nack(let ssrc, let sequences):
            guard let consumer = outgoing.consumer(ssrc: ssrc) else { return }
            note(missing: media.sequencesSent(sequences, consumer), of: ssrc)
            let spacing = flow.peer.repetitionSpacing
            media.perform { room, outbox, now in
                room.resend(
                    sequences, consumer, now: now, spacing: spacing, within: &streams.repetitions, into: &outbox)
            }
        case .receiverEstimate(let bitrate, _): note(estimate: bitrate)
        case .receiverReport(let ssrc, let loss, let cumulative, let jitter, let trip):
            feedback.note(ssrc: ssrc, jitter: jitter, roundTrip: trip)
            let row = outgoing.consumer(ssrc: ssrc).flatMap { media.row($0) }
            let lost = feedback.loss.note(fraction: loss, cumulative: cumulative, of: ssrc, row: row)
            copySound(of: ssrc, lost: lost)
        case .packetResults, .targetBitrate: break
        case .dataChannelOpened(let id, let configuration): dataChannelOpened(id, configuration, now: flow.now)
        case .dataMessage(let id, let bytes, _): dataMessage(id, bytes, now: flow.now)
        case .dataChannelClosed(let id): dataChannelClosed(id)
        case .rtp, .selectedPair, .closed, .bye, .applicationData, .bufferedAmountLow: break
        }
    }
}

extension MediaConnection {
    private func receivedSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant) {
        media.perform { room, outbox, _ in
            for entry in ingress.bound {
                room.receiveSenderReport(
                    ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, arrival: arrival, from: entry.producer,
                    into: &outbox)
            }
        }
    }

    func send(_ reports: [ForwardedReport]) {
        flow.perform { peer, outbox, now in peer.sendSenderReports(reports, now: now, into: outbox) }
    }

    /// Reports on everything that flows, in one datagram.
    func sendSenderReports() {
        flow.perform { peer, outbox, now in
            let reports = sends.compactMap { send in send.consumer.flatMap { media.senderReport($0, now: now) } }
            peer.sendSenderReports(reports, now: now, into: outbox)
        }
    }

    /// Asks the client for a key frame of a stream, not too often.
    func requestKeyFrame(ssrc: UInt32, isSmallest: Bool) {
        let interval: Interval = isSmallest ? .milliseconds(500) : .seconds(1)
        flow.perform { peer, outbox, now in
            peer.requestKeyFrame(ssrc: ssrc, interval: interval, now: now, into: outbox)
        }
    }
}
