/// In JSON: `{"unit":"us","significantDigits":3,"count":..,"p50Ms":..,"maximum":..,"buckets":[[value,count],..]}`. The
/// summary is for readers of the file; what counts is the buckets.
extension HistogramSnapshot: Codable {
    private enum Key: String, CodingKey {
        case unit, significantDigits, count, maximum, buckets
        case meanMs, p50Ms, p90Ms, p95Ms, p99Ms, maxMs
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode("us", forKey: .unit)
        try fields.encode(significantDigits, forKey: .significantDigits)
        try fields.encode(count, forKey: .count)
        try fields.encodeIfPresent(mean, forKey: .meanMs)
        try fields.encodeIfPresent(percentile(50), forKey: .p50Ms)
        try fields.encodeIfPresent(percentile(90), forKey: .p90Ms)
        try fields.encodeIfPresent(percentile(95), forKey: .p95Ms)
        try fields.encodeIfPresent(percentile(99), forKey: .p99Ms)
        try fields.encodeIfPresent(percentile(100), forKey: .maxMs)
        try fields.encode(maximum, forKey: .maximum)
        try fields.encode(buckets.map { [$0.value, $0.count] }, forKey: .buckets)
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        func corrupt(_ key: Key, _ problem: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: fields, debugDescription: problem)
        }
        let unit = try fields.decode(String.self, forKey: .unit)
        guard unit == "us" else { throw corrupt(.unit, "only microseconds (us) are known") }
        let digits = try fields.decode(Int.self, forKey: .significantDigits)
        guard (1...5).contains(digits) else { throw corrupt(.significantDigits, "1 to 5 are possible") }
        let maximum = try fields.decode(UInt64.self, forKey: .maximum)
        let layout = HistogramLayout(digits)
        var buckets: [Bucket] = []
        for pair in try fields.decode([[UInt64]].self, forKey: .buckets) {
            guard pair.count == 2 else { throw corrupt(.buckets, "a bucket is [value, count]") }
            let (value, count) = (pair[0], pair[1])
            guard value <= LatencyHistogram.highestMicroseconds, layout.lowest(value) == value else {
                throw corrupt(.buckets, "no bucket of \(digits) digits begins at \(value)")
            }
            guard buckets.last.map({ $0.value < value }) ?? true else {
                throw corrupt(.buckets, "values have to ascend, at \(value)")
            }
            guard (1...(1 << 53)).contains(count) else {
                throw corrupt(.buckets, "the count at \(value) is impossible")
            }
            buckets.append(Bucket(value: value, count: count))
        }
        let last = buckets.last?.value ?? 0
        guard maximum >= last, maximum <= layout.highest(last) else {
            throw corrupt(.maximum, "it lies in no recorded bucket")
        }
        self.init(significantDigits: digits, maximum: maximum, buckets: buckets)
    }
}
