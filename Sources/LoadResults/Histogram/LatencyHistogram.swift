import Histogram

/// Times of one kind while they are recorded: an HdrHistogram of microseconds up to one hour. Recording allocates nothing.
///
/// Three significant digits take 190 KiB and are for a whole run; two take 24 KiB and are for one second.
package struct LatencyHistogram: Sendable, Equatable {
    /// Longer times are counted as this one.
    package static let highestMicroseconds: UInt64 = 3_600_000_000

    private var histogram: Histogram<UInt64>

    /// - Parameter significantDigits: 1 to 5; values are told apart to so many decimal digits.
    package init(significantDigits: SignificantDigits = .three) {
        histogram = Histogram(
            highestTrackableValue: Self.highestMicroseconds, numberOfSignificantValueDigits: significantDigits)
    }

    package var count: UInt64 { histogram.totalCount }

    /// Records one time. Those below zero (clocks of two machines) are counted as zero.
    package mutating func record(nanoseconds: Int64) {
        record(microseconds: UInt64(Swift.max(0, nanoseconds)) / 1_000, count: 1)
    }

    package mutating func record(microseconds: UInt64, count: UInt64 = 1) {
        histogram.record(Swift.min(microseconds, Self.highestMicroseconds), count: count)
    }

    /// Forgets everything, and keeps the memory.
    package mutating func reset() { histogram.reset() }

    /// What was recorded, as a value that is small where little was recorded.
    package var snapshot: HistogramSnapshot {
        var buckets: [HistogramSnapshot.Bucket] = []
        for step in histogram.recordedValues() {
            buckets.append(.init(value: histogram.lowestEquivalentForValue(step.value), count: step.count))
        }
        return HistogramSnapshot(
            significantDigits: Int(histogram.numberOfSignificantValueDigits.rawValue),
            maximum: histogram.maxRecorded, buckets: buckets)
    }
}
