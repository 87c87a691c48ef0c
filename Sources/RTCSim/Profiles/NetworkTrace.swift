import RTCWire

/// How one direction of a network was, moment by moment, as it was recorded; it begins again when it is over.
package struct NetworkTrace: Sendable, Hashable {
    /// What holds from a moment on; nil leaves a value as the conditions have it.
    package struct Point: Sendable, Hashable {
        package var start: Interval
        /// Bits a second; with 0 nothing passes, and the queue waits.
        package var rate: Int?
        package var delay: Interval?
        package var jitter: Interval?
        /// Share of datagrams lost independently, 0...1.
        package var loss: Double?

        package init(
            start: Interval, rate: Int? = nil, delay: Interval? = nil, jitter: Interval? = nil, loss: Double? = nil
        ) {
            self.start = start
            self.rate = rate
            self.delay = delay
            self.jitter = jitter
            self.loss = loss
        }
    }

    /// In order of their time, at least one; the first one is at zero.
    package let points: [Point]
    /// When it begins again: the last point lasts as long as the one before it, a single one for an hour.
    package let length: Interval

    /// - Parameter points: sorted by start, the first one at zero, a millisecond apart at least; nil where they are not.
    package init?(_ points: [Point]) {
        guard points.first?.start == .zero,
            zip(points, points.dropFirst()).allSatisfy({ $1.start - $0.start >= .milliseconds(1) })
        else { return nil }
        self.points = points
        let last = points[points.count - 1].start
        length = points.count == 1 ? .seconds(3600) : last + (last - points[points.count - 2].start)
    }

    /// What holds at a time, counted from the weather's beginning.
    package func point(at elapsed: Interval) -> Point { points[index(at: elapsed)] }

    /// When a link of this rate that begins to send `bits` has sent them; nil where that takes longer than `patience`.
    ///
    /// - Parameter rate: where the trace has none; nil is a link without a limit.
    func finish(bits: Int, from begin: Interval, rate: Int?, patience: Interval) -> Interval? {
        var left = Double(bits)
        var time = begin
        while time - begin <= patience {
            let index = index(at: time)
            guard let rate = points[index].rate ?? rate else { return time }
            let end = end(of: index, at: time)
            let capacity = Double(rate) * (end - time).seconds
            if left <= capacity { return time + .seconds(left / Double(rate)) }
            left -= capacity
            time = end
        }
        return nil
    }

    private func index(at elapsed: Interval) -> Int {
        let time = max(0, elapsed.nanoseconds) % length.nanoseconds
        // The last point that has begun.
        var (low, high) = (0, points.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if points[middle].start.nanoseconds <= time { low = middle } else { high = middle }
        }
        return low
    }

    private func end(of index: Int, at elapsed: Interval) -> Interval {
        let end = index + 1 < points.count ? points[index + 1].start : length
        let passed = max(0, elapsed.nanoseconds) / length.nanoseconds * length.nanoseconds
        return end + Interval(nanoseconds: passed)
    }
}
