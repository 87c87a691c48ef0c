/// Reads the small texts of the language. Each gives nil for what it is not.
package enum ScalarText {
    /// Milliseconds of `1.5s`, `200ms`, `10m`, `1h`.
    static func duration(_ text: String) -> Int? {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        guard let number = number(String(text.dropLast(unit.suffix.count))), number >= 0 else { return nil }
        let milliseconds = number * unit.milliseconds
        return milliseconds <= Double(ScenarioLimits.durationMs) ? Int(milliseconds.rounded()) : nil
    }

    /// Decimal digits with at most one point and a sign, and nothing else.
    static func number(_ text: String) -> Double? {
        let allowed = Set("0123456789.-".unicodeScalars)
        guard !text.isEmpty, text.utf8.count <= 20, text.unicodeScalars.allSatisfy({ allowed.contains($0) }) else {
            return nil
        }
        return Double(text)
    }

    /// `< 2%`, `>= 40`, `< 500ms`; without a comparison it is `=`.
    static func limit(_ text: String, _ unit: LimitUnit) -> Limit? {
        var rest = Substring(text)
        var comparison = Limit.Comparison.equal
        if let found = Limit.Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
            comparison = found
            rest = rest.dropFirst(found.rawValue.count)
        }
        let value = String(rest).trimmed
        switch unit {
        case .count: return number(value).flatMap { $0 >= 0 ? Limit(comparison, $0, unit) : nil }
        case .percent:
            guard value.hasSuffix("%") else { return nil }
            return number(String(value.dropLast()).trimmed).flatMap { $0 >= 0 ? Limit(comparison, $0, unit) : nil }
        case .duration: return duration(value).map { Limit(comparison, Double($0), unit) }
        }
    }

    /// `2s..5s`, in milliseconds.
    static func span(_ text: String) -> Range<Int>? {
        guard let dots = text.range(of: "..") else { return nil }
        guard let from = duration(String(text[..<dots.lowerBound]).trimmed),
            let until = duration(String(text[dots.upperBound...]).trimmed), from < until
        else { return nil }
        return from..<until
    }

    /// `640x360@15`.
    static func picture(_ text: String) -> PlannedMedia.Card? {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count <= 2, let sides = halves.first?.split(separator: "x", omittingEmptySubsequences: false),
            sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            (160...1920).contains(width), (90...1080).contains(height)
        else { return nil }
        let rate = halves.count == 2 ? number(String(halves[1])) : 15
        guard let rate, (1...60).contains(rate) else { return nil }
        return PlannedMedia.Card(width: width, height: height, frameRate: rate)
    }

    /// `160x32+80+96`: width, height, and where it begins.
    static func rectangle(_ text: String) -> StoryMask? {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let sides = parts.first?.split(separator: "x", omittingEmptySubsequences: false),
            sides.count == 2
        else { return nil }
        let numbers = [sides[0], sides[1], parts[1], parts[2]].map { digits in
            digits.utf8.count <= 4 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
        }
        guard let width = numbers[0], let height = numbers[1], let x = numbers[2], let y = numbers[3] else {
            return nil
        }
        return StoryMask(x: x, y: y, width: width, height: height)
    }

    static func boolean(_ text: String) -> Bool? {
        switch text {
        case "true", "yes": true
        case "false", "no": false
        default: nil
        }
    }
}
