/// The values of a chart's height, from 0 to a round number.
struct ValueScale {
    let top: Double
    let ticks: [Double]

    /// - Parameter least: the top is not below this, so that noise does not fill the chart.
    init(_ values: [Double], least: Double) {
        let highest = max(values.filter { $0.isFinite }.max() ?? 0, least, 1e-9)
        let step = Self.roundStep(min(highest, 1e15) / 4)
        let count = Int((min(highest, 1e15) / step).rounded(.up))
        top = step * Double(max(count, 1))
        ticks = (0...max(count, 1)).map { step * Double($0) }
    }

    /// 1, 2, 2.5 or 5 times a power of ten, not below the value.
    private static func roundStep(_ value: Double) -> Double {
        var power = 1e-9
        while power * 10 <= value { power *= 10 }
        return power * ([1, 2, 2.5, 5, 10].first { $0 * power >= value * 0.999 } ?? 10)
    }

    /// Where a value lies from above, 0 to 1,000.
    func y(_ value: Double) -> Double { (1 - min(max(value / top, 0), 1)) * 1_000 }
}

/// Numbers inside of SVG.
enum Coordinate {
    static func text(_ value: Double) -> String { Decimals.text(value, 1) }
}
