import NIOCore
import RTCCore
import RTCWire
import SFUCore

/// How many repetitions are due for all that is sent to come to a rate that is probed.
struct SubscriberProbe {
    /// Between two steps, so that a step is a packet or a few.
    static let step = TimeAmount.milliseconds(10)
    private static let packetBytes = 1_200.0
    private static let mostPackets = 8.0
    private static let longestStep = 0.05

    private var owed = 0.0
    private var latest: Instant?

    var isRunning: Bool { latest != nil }

    /// Packets that are due now.
    ///
    /// - Parameters:
    ///   - missing: bit/s beside what is sent.
    ///   - isWaiting: pictures wait for the pacer, which fill the rate as well; what repeats nothing that was asked for does
    ///     not go before them.
    mutating func due(missing: Int, isWaiting: Bool = false, now: Instant) -> Int {
        let elapsed = min((now - (latest ?? now)).seconds, SubscriberProbe.longestStep)
        latest = now
        guard !isWaiting else {
            owed = 0
            return 0
        }
        owed += Double(max(0, missing)) / 8 * max(elapsed, 0)
        return Int(min(owed / SubscriberProbe.packetBytes, SubscriberProbe.mostPackets))
    }

    /// Counts what was sent of it. Where nothing could be repeated, nothing is owed either.
    mutating func note(bytes: Int) { owed = bytes > 0 ? max(0, owed - Double(bytes)) : 0 }
}

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
        flow.eventLoop.assumeIsolated().scheduleTask(in: SubscriberProbe.step) { [weak self] in self?.stepProbe() }
    }
}
