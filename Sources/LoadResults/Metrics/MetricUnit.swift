/// What a metric is measured in, and how people write values of it.
package enum MetricUnit: String, Codable, Sendable {
    case milliseconds = "ms"
    case seconds = "s"
    /// 0 to 1; written as percent.
    case ratio = "%"
    case perSecond = "/s"
    case bitsPerSecond = "bit/s"
    case bytes = "B"
    case cores = "cores"
    case count = ""

    /// What stands behind a number, and the factor to the unit's own value.
    private var suffixes: [String: Double] {
        switch self {
        case .milliseconds: ["": 1, "ms": 1, "s": 1_000, "us": 0.001, "min": 60_000]
        case .seconds: ["": 1, "s": 1, "ms": 0.001, "min": 60]
        case .ratio: ["": 1, "%": 0.01]
        case .perSecond: ["": 1, "/s": 1, "/min": 1.0 / 60]
        case .bitsPerSecond:
            ["": 1, "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "bps": 1, "kbps": 1e3, "Mbps": 1e6]
        case .bytes: ["": 1, "B": 1, "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824, "kB": 1e3, "MB": 1e6]
        case .cores: ["": 1, "cores": 1, "%": 0.01]
        case .count: ["": 1]
        }
    }

    /// The units that a value may have, for messages.
    var possible: String {
        let names = suffixes.keys.filter { !$0.isEmpty }.sorted()
        return names.isEmpty ? "it has no unit" : "possible are \(names.joined(separator: ", "))"
    }

    /// A number with a unit, in the unit's own value; nil where it is none. `150ms`, `1%`, `2.5Mbit/s`.
    package func value(_ text: Substring) -> Double? {
        let text = text.trimming()
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
        guard let value = Double(number), value.isFinite else { return nil }
        guard let factor = suffixes[String(text.dropFirst(number.count).trimming())] else { return nil }
        return value * factor
    }

    /// A value for people: `12.3 ms`, `0.40 %`.
    package func text(_ value: Double) -> String {
        switch self {
        case .milliseconds: value >= 10_000 ? "\(Decimals.text(value / 1_000, 1)) s" : "\(Decimals.short(value)) ms"
        case .seconds: "\(Decimals.short(value)) s"
        case .ratio: "\(Decimals.text(value * 100, abs(value) < 0.1 ? 2 : 1)) %"
        case .perSecond: "\(Decimals.short(value)) /s"
        case .bitsPerSecond: Decimals.scaled(value, 1_000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
        case .bytes: Decimals.scaled(value, 1_024, ["B", "KiB", "MiB", "GiB", "TiB"])
        case .cores: "\(Decimals.text(value, 2)) cores"
        case .count: Decimals.grouped(value)
        }
    }
}

extension Substring {
    func trimming() -> Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension StringProtocol {
    func trimming() -> Substring { Substring(self).trimming() }
}
