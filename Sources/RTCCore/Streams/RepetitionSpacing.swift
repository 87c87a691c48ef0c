import RTCWire

/// How soon a packet that was repeated is repeated again when it is asked for.
package struct RepetitionSpacing: Sendable, Hashable {
    /// A repetition that leaves earlier is of no use, for the one before may still be on its way.
    let full: Interval
    /// From when on one more is sent all the same; nil for none.
    let second: Interval?

    /// - Parameter full: answers to requests that come sooner would be on their way together.
    package init(_ full: Interval) { (self.full, second) = (full, nil) }

    /// Shorter than the round trip, so that a request which the other side times by its own measure isn't refused.
    ///
    /// Who says a first request twice in case that one is lost (`StreamLimits.leastEchoedNACKInterval`) gets two answers, so far
    /// apart that one burst rarely takes both: a repetition is lost as the packet was. Where a queue stands it gets one.
    package init(roundTrip: Interval, isQueued: Bool) {
        full = min(max(roundTrip * 0.75, .milliseconds(5)), .milliseconds(250))
        let isTwice = roundTrip >= Self.leastAnsweredTwice && !isQueued
        second = isTwice ? min(max(roundTrip * 0.15, .milliseconds(10)), .milliseconds(100)) : nil
    }

    /// The same without another answer to a second request.
    var once: RepetitionSpacing { RepetitionSpacing(full) }

    /// On a shorter way the next answer comes soon enough.
    private static let leastAnsweredTwice = Interval.milliseconds(40)
}

/// When a packet was repeated last. A value of eight bytes, for there is one for each packet that is kept.
package struct RepetitionMark: Sendable, Hashable {
    /// The lower bits of the time in milliseconds; 0 for never.
    private var sent: UInt32 = 0
    private var isSecond = false

    package init() {}

    /// Whether the packet may be repeated now.
    package func allows(_ spacing: RepetitionSpacing, now: Instant) -> Bool {
        guard sent != 0 else { return true }
        let elapsed = Interval.milliseconds(Int(Self.stamp(now) &- sent))
        if let second = spacing.second, !isSecond, elapsed >= second { return true }
        return elapsed >= spacing.full
    }

    /// It is repeated now, for it may be.
    package mutating func note(_ spacing: RepetitionSpacing, now: Instant) {
        let stamp = Self.stamp(now)
        isSecond = sent != 0 && Interval.milliseconds(Int(stamp &- sent)) < spacing.full
        if !isSecond { sent = stamp }
    }

    /// Never 0. It comes round in 50 days: by then the number has been given to others.
    private static func stamp(_ now: Instant) -> UInt32 {
        max(UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000), 1)
    }
}
