import Histogram

/// Recorded times as a value: the buckets of an HdrHistogram that hold anything, ascending, in microseconds.
///
/// Two of the same precision add up bucket by bucket, so that the sum of shards is exactly the histogram that one process
/// would have recorded.
package struct HistogramSnapshot: Sendable, Equatable {
    package struct Bucket: Sendable, Equatable {
        /// The lowest time of the bucket, in microseconds.
        package var value: UInt64
        package var count: UInt64

        package init(value: UInt64, count: UInt64) {
            self.value = value
            self.count = count
        }
    }

    /// Decimal digits to which times are told apart, 1 to 5.
    package let significantDigits: Int
    /// The longest time, in microseconds.
    package private(set) var maximum: UInt64
    package private(set) var buckets: [Bucket]

    package init(significantDigits: Int = 3, maximum: UInt64 = 0, buckets: [Bucket] = []) {
        self.significantDigits = significantDigits
        self.maximum = maximum
        self.buckets = buckets
    }

    package var isEmpty: Bool { buckets.isEmpty }
    package var count: UInt64 { buckets.reduce(0) { $0.saturatingAdd($1.count) } }

    /// The mean in milliseconds, of the middles of the buckets; nil where nothing was recorded.
    package var mean: Double? {
        guard !isEmpty else { return nil }
        let layout = HistogramLayout(significantDigits)
        let sum = buckets.reduce(0.0) { $0 + Double(layout.middle($1.value)) * Double($1.count) }
        return sum / Double(count) / 1_000
    }

    /// The time in milliseconds below or at which so many of a hundred are; nil where nothing was recorded. The same value as
    /// HdrHistogram gives.
    package func percentile(_ percentile: Double) -> Double? {
        guard let first = buckets.first else { return nil }
        guard percentile < 100 else { return Double(maximum) / 1_000 }
        let wanted = Swift.max(0, percentile.nextDown) * Double(count) / 100
        let rank = Swift.max(1, UInt64(exactly: wanted.rounded(.up)) ?? .max)
        let layout = HistogramLayout(significantDigits)
        var reached: UInt64 = 0
        for bucket in buckets {
            reached = reached.saturatingAdd(bucket.count)
            if reached >= rank {
                return Double(Swift.max(Swift.min(layout.highest(bucket.value), maximum), first.value)) / 1_000
            }
        }
        return Double(maximum) / 1_000
    }

    /// Adds another one, bucket by bucket; false, and nothing added, where its precision is another.
    @discardableResult
    package mutating func add(_ other: HistogramSnapshot) -> Bool {
        guard significantDigits == other.significantDigits else { return false }
        var sum: [Bucket] = []
        sum.reserveCapacity(buckets.count + other.buckets.count)
        var (mine, theirs) = (buckets[...], other.buckets[...])
        while let left = mine.first, let right = theirs.first {
            if left.value <= right.value { mine.removeFirst() }
            if right.value <= left.value { theirs.removeFirst() }
            let isShared = left.value == right.value
            let lower = left.value <= right.value ? left : right
            sum.append(isShared ? .init(value: left.value, count: left.count.saturatingAdd(right.count)) : lower)
        }
        buckets = sum + mine + theirs
        maximum = Swift.max(maximum, other.maximum)
        return true
    }
}

/// Where the buckets of a precision begin and end: the library's arithmetic, which needs no counts.
struct HistogramLayout {
    private let histogram: Histogram<UInt8>

    init(_ significantDigits: Int) {
        histogram = Histogram(
            highestTrackableValue: 2,
            numberOfSignificantValueDigits: SignificantDigits(rawValue: Int8(clamping: significantDigits)) ?? .three)
    }

    func lowest(_ value: UInt64) -> UInt64 { histogram.lowestEquivalentForValue(value) }
    func highest(_ value: UInt64) -> UInt64 { histogram.highestEquivalentForValue(value) }
    func middle(_ value: UInt64) -> UInt64 { histogram.medianEquivalentForValue(value) }
}

extension FixedWidthInteger {
    /// Counts of files that others wrote add up without a trap.
    func saturatingAdd(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}
