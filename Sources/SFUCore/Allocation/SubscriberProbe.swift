import RTCWire

/// How many repetitions are due for all that is sent to come to a rate that is probed.
package struct SubscriberProbe: Sendable {
    /// Between two steps, so that a step is a packet or a few.
    package static let step = Interval.milliseconds(10)
    private static let packetBytes = 1_200.0
    private static let mostPackets = 8.0
    private static let longestStep = 0.05

    private var owed = 0.0
    private var latest: Instant?

    package init() {}

    package var isRunning: Bool { latest != nil }

    /// Packets that are due now.
    ///
    /// - Parameters:
    ///   - missing: bit/s beside what is sent.
    ///   - isWaiting: pictures wait for the pacer, which fill the rate as well; what repeats nothing that was asked for does
    ///     not go before them.
    package mutating func due(missing: Int, isWaiting: Bool = false, now: Instant) -> Int {
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
    package mutating func note(bytes: Int) { owed = bytes > 0 ? max(0, owed - Double(bytes)) : 0 }
}
