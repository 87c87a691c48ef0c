/// All series of one name. Text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricFamily: Sendable {
    let kind: MetricKind
    var series: [MetricLabels: any MetricSeries] = [:]

    init(kind: MetricKind) { self.kind = kind }

    func render(_ name: String, help: String?, into text: inout String) {
        if let help { text += "# HELP \(name) \(Escaping.help(help))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
        for (labels, series) in series.sorted(by: { $0.key < $1.key }) { series.render(name, labels, into: &text) }
    }
}

/// The dimensions of a series, sorted by name; of two of one name the first counts.
struct MetricLabels: Hashable, Sendable, Comparable {
    private let pairs: [[String]]

    init(_ dimensions: [(String, String)]) {
        var known: Set<String> = []
        pairs = dimensions.map { [MetricName.label($0.0), $0.1] }.filter { known.insert($0[0]).inserted }
            .sorted { $0[0] < $1[0] }
    }

    static func < (left: MetricLabels, right: MetricLabels) -> Bool {
        left.pairs.lexicographicallyPrecedes(right.pairs) { $0.lexicographicallyPrecedes($1) }
    }

    /// `{room="a",le="5"}`; nothing without dimensions.
    func text(adding last: (String, String)? = nil) -> String {
        var all = pairs.map { "\($0[0])=\"\(Escaping.value($0[1]))\"" }
        if let last { all.append("\(last.0)=\"\(last.1)\"") }
        return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
    }
}

/// Names that the format allows.
enum MetricName {
    /// `call_server_packets_total` of `call.server-packets`.
    static func of(_ label: String, suffix: String = "") -> String {
        let name = sanitized(label, allowsColon: true)
        return suffix.isEmpty || name.hasSuffix(suffix) ? name : name + suffix
    }

    /// Names that begin with two underscores belong to Prometheus, `le` to histograms.
    static func label(_ name: String) -> String {
        let name = sanitized(name, allowsColon: false)
        return name.hasPrefix("__") || name == "le" ? "label_\(name)" : name
    }

    private static func sanitized(_ text: String, allowsColon: Bool) -> String {
        let name = text.unicodeScalars.prefix(200).map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
            case ":" where allowsColon: ":"
            default: "_"
            }
        }
        guard let first = name.first else { return "_" }
        return first.isNumber ? "_" + String(name) : String(name)
    }
}

enum MetricValue {
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

enum Escaping {
    static func value(_ text: String) -> String { escaped(text, quotes: true) }
    static func help(_ text: String) -> String { escaped(text, quotes: false) }

    /// By scalars: a line feed behind a carriage return is one character to Swift.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(1_000) {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
