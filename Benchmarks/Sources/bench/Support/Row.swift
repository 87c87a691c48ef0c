/// One line of the table.
struct Row: Sendable {
    var id: String
    var what: String
    var ours: String
    var reference = ""
    /// Ours over the reference, one for each pair of windows; empty where there is no reference.
    var ratios: [Double] = []
    var goal = ""
    /// Nil for a line that only informs.
    var isMet: Bool?

    /// A comparison of alternating windows, lower being better.
    ///
    /// - Parameters:
    ///   - limit: the largest median ratio that meets the goal; nil where the line only informs.
    ///   - format: how a window's value reads.
    static func comparison(
        _ id: String, _ what: String, ours: [Double], reference: [Double], limit: Double?, format: (Double) -> String
    ) -> Row {
        let ratios = zip(ours, reference).map { $0 / $1 }
        return Row(
            id: id, what: what, ours: format(ours.median), reference: format(reference.median), ratios: ratios,
            goal: limit.map { "at most \($0.fixed(2))x" } ?? "", isMet: limit.map { ratios.median <= $0 })
    }

    var cells: [String] {
        let spread =
            ratios.isEmpty ? "" : "\(ratios.median.fixed(2)) (\(ratios.least.fixed(2))-\(ratios.greatest.fixed(2)))"
        return [id, what, ours, reference, spread, goal, isMet.map { $0 ? "met" : "NOT met" } ?? ""]
    }
}

/// The table, in Markdown that also reads well on a terminal.
enum Table {
    private static let titles = ["row", "what", "ours", "reference", "ratio (min-max)", "goal", "result"]

    static func text(_ rows: [Row]) -> String {
        let lines = [titles] + rows.map(\.cells)
        let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        let text = lines.map { line in
            "| " + zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
                + " |"
        }
        return ([text[0], rule] + text.dropFirst()).joined(separator: "\n")
    }
}
