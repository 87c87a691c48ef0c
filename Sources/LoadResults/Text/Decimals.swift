/// Numbers for people, the same everywhere whatever the machine's language is.
package enum Decimals {
    /// With so many decimals, rounded.
    package static func text(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        guard abs(value) < 1e15 else { return "\(value)" }
        var factor: Int64 = 1
        for _ in 0..<min(decimals, 3) { factor *= 10 }
        let scaled = (abs(value) * Double(factor)).rounded()
        guard let whole = Int64(exactly: scaled) else { return "\(value)" }
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let fraction = String(whole % factor)
        let zeros = String(repeating: "0", count: min(decimals, 3) - fraction.count)
        return "\(sign)\(whole / factor).\(zeros)\(fraction)"
    }

    /// Three digits that count.
    package static func short(_ value: Double) -> String {
        switch abs(value) {
        case 0.000_5..<0.1: text(value, 3)
        case ..<10: text(value, 2)
        case ..<100: text(value, 1)
        default: grouped(value)
        }
    }

    /// A whole number with its thousands apart: 1,234,567.
    package static func grouped(_ value: Double) -> String {
        let digits = text(value, 0)
        guard digits.allSatisfy({ $0.isNumber || $0 == "-" }), digits != "-" else { return digits }
        let sign = digits.hasPrefix("-") ? "-" : ""
        var result = ""
        for (index, digit) in digits.dropFirst(sign.count).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return sign + String(result.reversed())
    }

    /// With the unit that leaves one to four digits before the point.
    static func scaled(_ value: Double, _ step: Double, _ units: [String]) -> String {
        var (value, index) = (value, 0)
        while abs(value) >= step, index < units.count - 1 {
            value /= step
            index += 1
        }
        return "\(index == 0 ? grouped(value) : short(value)) \(units[index])"
    }
}
