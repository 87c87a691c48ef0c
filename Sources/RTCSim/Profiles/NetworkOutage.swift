import RTCWire

/// A time in which nothing passes, counted from the weather's beginning.
package struct NetworkOutage: Sendable, Hashable {
    package var start: Interval
    package var length: Interval
    /// From one beginning to the next; nil where it happens once. At least `length`.
    package var period: Interval?

    package init(start: Interval, length: Interval, period: Interval? = nil) {
        self.start = start
        self.length = length
        self.period = period
    }

    package func contains(_ elapsed: Interval) -> Bool {
        guard elapsed >= start else { return false }
        var since = elapsed - start
        if let period, period > .zero { since = Interval(nanoseconds: since.nanoseconds % period.nanoseconds) }
        return since < length
    }
}
