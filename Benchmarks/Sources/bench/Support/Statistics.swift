extension [Double] {
    /// 0 where empty.
    var median: Double { percentile(50) }
    var least: Double { self.min() ?? 0 }
    var greatest: Double { self.max() ?? 0 }

    /// The value below which `percent` of all lie, by linear interpolation.
    func percentile(_ percent: Double) -> Double {
        guard let last = indices.last else { return 0 }
        let sorted = sorted()
        let position = percent / 100 * Double(last)
        let lower = Int(position)
        let upper = Swift.min(lower + 1, last)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
    }
}

extension Double {
    /// "-" where it is no number.
    func fixed(_ digits: Int) -> String {
        guard isFinite else { return "-" }
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
