import NIOCore
import RTCCore
import RTCWire
import SFUCore

extension MediaConnection {
    /// There is video whose recent packets can be sent again.
    var canProbe: Bool { settings.plane == .standard && isConnected && probedConsumer != nil }

    private var probedConsumer: ConsumerID? {
        sends.first { $0.kind == .video && $0.description.rtxSSRC != nil && !$0.isStarved && $0.wantedLayer != nil }?
            .consumer
    }

    /// Begins to repeat recent packets where more is to be tried.
    func probe() {
        guard !streams.probe.isRunning, streams.capacity.probedBitrate != nil else { return }
        stepProbe()
    }

    private func stepProbe() {
        guard let wanted = streams.capacity.probedBitrate, isConnected, let consumer = probedConsumer else {
            return streams.probe = SubscriberProbe()
        }
        let missing = wanted - Int(streams.sent.bitrate)
        let isWaiting = flow.peer.pacingBacklog > .zero
        media.perform { room, outbox, now in
            let count = streams.probe.due(missing: missing, isWaiting: isWaiting, now: now)
            guard count > 0 else { return }
            streams.probe.note(bytes: room.repeatLatest(count, consumer, into: &outbox))
        }
        let step = TimeAmount.nanoseconds(SubscriberProbe.step.nanoseconds)
        flow.eventLoop.assumeIsolated().scheduleTask(in: step) { [weak self] in self?.stepProbe() }
    }
}
