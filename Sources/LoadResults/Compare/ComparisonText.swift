extension Comparison {
    /// A table for people: what has changed, or with `all` every metric; the verdict last.
    package func text(all: Bool = false) -> String {
        let shown = rows.filter { all || ($0.verdict != nil && $0.verdict != .same) }
        var lines = warnings.map { "warning: \($0)" }
        if !shown.isEmpty { lines += Self.table([["metric", "baseline", "run", "change", ""]] + shown.map(\.cells)) }
        let same = rows.count { $0.verdict == .same }
        lines.append("\(sentence); \(same) of \(rows.count) metrics are the same within their tolerance")
        return lines.joined(separator: "\n")
    }

    private var sentence: String {
        let worse = rows.filter { $0.verdict == .worse }.map(\.metric)
        return switch verdict {
        case .worse:
            "WORSE than the baseline: \(worse.prefix(5).joined(separator: ", "))\(worse.count > 5 ? ", ..." : "")"
        case .better: "better than the baseline"
        case .same: "the same as the baseline"
        }
    }

    /// The first column to the left, numbers to the right.
    private static func table(_ rows: [[String]]) -> [String] {
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 || column == 4 ? cell + space : space + cell
            }.joined(separator: "  ").trimmingEnd()
        }
    }
}

extension Comparison.Row {
    fileprivate var cells: [String] {
        let change = change.map { ($0 > 0 ? "+" : "") + Decimals.text($0 * 100, 1) + " %" } ?? "-"
        return [metric, unit.text(baseline), unit.text(measured), change, verdict?.rawValue ?? ""]
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
