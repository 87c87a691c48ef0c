/// A histogram's shape on a logarithmic scale, so that medians and rare long times are seen in one small drawing.
struct Distribution {
    private static let columns = 48
    let histogram: HistogramSnapshot

    var html: String {
        guard let first = histogram.buckets.first, histogram.maximum > 0 else { return "" }
        let low = Self.logarithm(max(first.value, 100))
        let high = max(Self.logarithm(histogram.maximum) + 0.01, low + 0.3)
        var counts = [Double](repeating: 0, count: Self.columns)
        for bucket in histogram.buckets {
            let place = (Self.logarithm(bucket.value) - low) / (high - low) * Double(Self.columns)
            counts[Int(min(max(place, 0), Double(Self.columns - 1)))] += Double(bucket.count)
        }
        // Rare times stay visible: heights are roots of the counts.
        let highest = counts.max() ?? 1
        let bars = counts.enumerated().map { index, count in
            count > 0
                ? "M\(index) 100V\(Coordinate.text(100 - max(4, (count / highest).squareRoot() * 100)))h0.85V100Z" : ""
        }
        return
            "<svg class=\"dist\" viewBox=\"0 0 \(Self.columns) 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + "<path class=\"bar c1\" d=\"\(bars.joined())\"/></svg>"
    }

    /// To the base of 10, near enough for a drawing: exact at powers of two, straight between them.
    private static func logarithm(_ value: UInt64) -> Double {
        let value = max(value, 1)
        let power = 63 - value.leadingZeroBitCount
        let fraction = Double(value) / Double(UInt64(1) << UInt64(power)) - 1
        return (Double(power) + fraction) * 0.301_03
    }
}
