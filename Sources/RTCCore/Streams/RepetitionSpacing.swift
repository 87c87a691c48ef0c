import RTCWire

/// How soon a packet that was repeated is repeated again when it is asked for.
package struct RepetitionSpacing: Sendable, Hashable {
    /// A repetition that leaves earlier is of no use, for the one before may still be on its way.
    package let full: Interval
    /// Up to `mostBefore` more are sent before that, so far apart; nil for none.
    package let before: Interval?
    package static let mostBefore = 2

    /// - Parameter full: answers to requests that come sooner would be on their way together.
    package init(_ full: Interval) { (self.full, before) = (full, nil) }

    /// Shorter than the round trip, so that a request which the other side times by its own measure isn't refused.
    ///
    /// Who says a first request more than once in case that one is lost (`StreamLimits.echoes`) gets as many answers, so far apart
    /// that one burst rarely takes all: a repetition is lost as the packet was. Where a queue stands it gets one.
    package init(roundTrip: Interval, isQueued: Bool) {
        full = min(max(roundTrip * 0.75, .milliseconds(5)), .milliseconds(250))
        let isRepeated = roundTrip >= Self.leastAnsweredBefore && !isQueued
        before = isRepeated ? min(max(roundTrip * 0.15, .milliseconds(10)), .milliseconds(100)) : nil
    }

    /// The same for a sender that has no bytes to spare.
    package var sparing: RepetitionSpacing { RepetitionSpacing(full) }

    /// On a shorter way the next answer comes soon enough.
    private static let leastAnsweredBefore = Interval.milliseconds(40)
}
