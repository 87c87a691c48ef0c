/// A distribution of latencies with a resolution of 3 %, in fixed memory: none before the first value, then 3.5 KiB.
public struct LatencyHistogram: Sendable, Hashable {
    /// Values counted.
    public private(set) var count = 0
    /// The largest value, in milliseconds.
    public var maximum: Double { Double(largest) / 1_000 }

    private var largest = 0
    private var buckets: [UInt32] = []
    private static let bucketCount = 32 * 28

    /// Makes an empty one.
    public init() {}

    /// Counts one latency; negative ones count as 0, those above half an hour as half an hour.
    public mutating func record(seconds: Double) {
        let micros = Int(min(max(seconds.isNaN ? 0 : seconds, 0), 1_800) * 1e6)
        largest = max(largest, micros)
        count += 1
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(micros)] &+= 1
    }

    /// The value in milliseconds that `share` (0...1) of all lie at or below; 0 when nothing was counted.
    public func percentile(_ share: Double) -> Double {
        let rank = max(1, Int((min(max(share, 0), 1) * Double(count)).rounded(.up)))
        var seen = 0
        for (bucket, value) in buckets.enumerated() {
            seen += Int(value)
            if seen >= rank { return Double(min(Self.upperBound(bucket), largest)) / 1_000 }
        }
        return 0
    }

    /// Adds another distribution.
    public mutating func merge(_ other: LatencyHistogram) {
        count += other.count
        largest = max(largest, other.largest)
        guard !other.buckets.isEmpty else { return }
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        for index in buckets.indices { buckets[index] &+= other.buckets[index] }
    }

    /// Below 64 µs each value has its own bucket; above, each octave has 32.
    private static func bucket(_ micros: Int) -> Int {
        guard micros >= 64 else { return micros }
        let octave = Int.bitWidth - 1 - micros.leadingZeroBitCount
        return (octave - 5) * 32 + (micros >> (octave - 5)) & 31 + 32
    }

    private static func upperBound(_ bucket: Int) -> Int {
        guard bucket >= 64 else { return bucket }
        let octave = (bucket - 32) / 32 + 5
        return ((bucket & 31 | 32) + 1) << (octave - 5) - 1
    }
}
