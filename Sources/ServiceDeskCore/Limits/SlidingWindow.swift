/// So many times in any span of so long: a value that reads no clock.
package struct SlidingWindow: Sendable, Hashable {
    /// How often within `period`.
    package let limit: Int
    /// Milliseconds.
    package let period: Int64
    /// When it was done, oldest first; never more than `limit`.
    private var times: [Int64] = []

    package init(limit: Int, period: Int64) {
        self.limit = limit
        self.period = period
    }

    /// Milliseconds until it may be done again; 0 where it may be done now.
    package func wait(now: Int64) -> Int64 {
        guard times.count >= limit, let oldest = times.first else { return 0 }
        return max(0, period - (now - oldest))
    }

    /// Takes note of one more; false, and nothing is noted, where that is too many.
    package mutating func take(now: Int64) -> Bool {
        guard wait(now: now) == 0 else { return false }
        times.removeAll { now - $0 >= period }
        times.append(now)
        return true
    }

    /// Nothing counts any more.
    package func isIdle(now: Int64) -> Bool { times.allSatisfy { now - $0 >= period } }

    package mutating func reset() { times = [] }
}
