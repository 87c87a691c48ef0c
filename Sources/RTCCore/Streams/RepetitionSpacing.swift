import RTCWire

/// How soon a packet that was repeated is repeated again when it is asked for.
package struct RepetitionSpacing: Sendable, Hashable {
    /// A repetition that leaves earlier is of no use, for the one before may still be on its way.
    package let full: Interval
    /// From when on one more is sent all the same; nil for none.
    package let second: Interval?

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

    /// On a shorter way the next answer comes soon enough.
    private static let leastAnsweredTwice = Interval.milliseconds(40)
}
