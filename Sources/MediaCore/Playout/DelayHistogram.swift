import RTCWire

/// How long packets were under way beyond a transit that stands for none, in buckets of 4 ms; it forgets. A value.
struct DelayHistogram {
    static let bucket: Int64 = 4_000_000

    private var weights: [Float]
    private var total: Float = 0
    /// Weight of the next packet. It grows instead of all others shrinking.
    private var weight: Float = 1
    private var observed = 0
    /// The weight that each packet leaves to all earlier ones.
    private let forgetting: Double
    private let expected: Int

    /// - Parameters:
    ///   - longest: delay that is still counted.
    ///   - forgetting: the weight that each packet leaves to all earlier ones, below 1; at first less.
    ///   - expected: packets without any delay that it begins with, so that the first few don't decide.
    init(longest: Interval, forgetting: Double, expected: Int = 0) {
        weights = [Float](repeating: 0, count: Int(longest.nanoseconds / Self.bucket) + 1)
        self.forgetting = forgetting
        self.expected = expected
        clear()
    }

    mutating func clear() {
        for index in weights.indices { weights[index] = 0 }
        total = Float(expected)
        weights[0] = total
        weight = 1
        observed = expected
    }

    /// Takes in a delay; one beyond the longest counts for nothing.
    mutating func record(_ delay: Interval) {
        let index = Int(max(0, delay.nanoseconds) / Self.bucket)
        guard index < weights.count else { return }
        weights[index] += weight
        total += weight
        observed += 1
        let memory = min(forgetting, 1 - 1 / Double(observed + 2))
        weight /= Float(max(memory, 0.5))
        if weight > 1e12 { rescale() }
    }

    /// Has longer delays count for no more than they will once it forgets: they were one event, and of few packets a large part.
    mutating func settle(beyond delay: Interval) {
        let share = Float(Double(observed) * (1 - forgetting))
        guard share < 1 else { return }
        for index in weights.indices where upperBound(of: index) > delay {
            total -= weights[index] * (1 - share)
            weights[index] *= share
        }
    }

    private mutating func rescale() {
        for index in weights.indices { weights[index] /= weight }
        total /= weight
        weight = 1
    }

    /// Counts all delays by `steps` buckets less (negative: more).
    ///
    /// - Parameter keepsLeast: packets in the first bucket had no delay, whatever it stands for.
    mutating func shift(by steps: Int64, keepsLeast: Bool = false) {
        let count = weights.count
        var moved = [Float](repeating: 0, count: count)
        if keepsLeast { moved[0] = weights[0] }
        for index in (keepsLeast ? 1 : 0)..<count where weights[index] > 0 {
            let target = min(max(Int64(index) &- steps, 0), Int64(count - 1))
            moved[Int(target)] += weights[index]
        }
        weights = moved
    }

    /// The delay that all but `share` of the packets stay within, rounded up to the bucket.
    func delay(beyond share: Double) -> Interval {
        let beyond = total * Float(share)
        var sum: Float = 0
        for index in stride(from: weights.count - 1, to: 0, by: -1) {
            sum += weights[index]
            if sum > beyond { return upperBound(of: index) }
        }
        return upperBound(of: 0)
    }

    /// The delay at which waiting longer costs as much as it saves, rounded up to the bucket; zero where waiting pays for
    /// nothing.
    ///
    /// - Parameters:
    ///   - present: the delay until now, which is left for a shorter one where that costs less by `saving` points, or lets
    ///     less than one of a hundred packets more come too late.
    func cheapestDelay(_ cost: WaitCost, present: Interval, saving: Double) -> Interval {
        guard total > 0 else { return .zero }
        func candidate(_ delay: Interval, _ missed: Float) -> Candidate {
            let share = max(missed, 0) / total
            return Candidate(delay: delay, missed: share, points: cost.points(delay, missed: share))
        }
        var missed = total - weights[0]
        var best = candidate(.zero, missed)
        var missedNow = missed
        for index in weights.indices.dropFirst() where weights[index] > 0 {
            missed -= weights[index]
            let other = candidate(upperBound(of: index), missed)
            if other.delay <= present { missedNow = missed }
            if other.points < best.points { best = other }
        }
        let now = candidate(present, missedNow)
        let isLeft = best.delay >= present || best.points + saving <= now.points || best.missed < now.missed + 0.01
        return isLeft ? best.delay : present
    }

    private struct Candidate {
        var delay: Interval
        /// Share of the packets that come too late for it.
        var missed: Float
        var points: Double
    }

    private func upperBound(of index: Int) -> Interval { Interval(nanoseconds: Int64(index + 1) &* Self.bucket) }
}
