import Foundation

/// One figure beside what it may be.
struct BudgetRow: Sendable, Codable, Hashable {
    /// What a figure must not be.
    enum Bound: String, Sendable, Codable {
        case most
        case least
    }

    /// In `--limit`, and in reports.
    var name: String
    /// The row of the sources that the limit comes from; empty for a limit of our own.
    var source: String
    var what: String
    var figure: Double
    var unit: String
    /// Nil: told, and not judged.
    var limit: Double?
    var bound = Bound.most
    /// What to do where it does not keep within its limit.
    var remedy: String

    /// A figure that could not be had is none that is kept.
    var isKept: Bool {
        guard let limit else { return true }
        return bound == .most ? figure <= limit : figure >= limit
    }

    /// `ok    N2  cpu                  4.1 s       at most 30      processor time of a participant in a minute`
    var line: String {
        let verdict = limit == nil ? "-" : isKept ? "ok" : "OVER"
        let limit = limit.map { "at \(bound.rawValue) \(Self.text($0))" } ?? "not judged"
        let columns = [
            (verdict, 5), (source, 3), (name, 19), ("\(Self.text(figure)) \(unit)", 14), (limit, 15),
        ]
        return columns.map { $0.0.padding(toLength: max($0.1, $0.0.count), withPad: " ", startingAt: 0) }
            .joined(separator: " ") + " " + what
    }

    /// What is said of one that is not kept.
    var complaint: String {
        let limit = limit.map(Self.text) ?? ""
        let words = bound == .most ? "above the budget of" : "below"
        return "\(name): \(Self.text(figure)) \(unit) is \(words) \(limit) \(unit); \(remedy)"
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e6 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}

/// What `budget --json` prints.
struct BudgetReport: Sendable, Codable {
    var ok: Bool
    /// `release` or `debug`.
    var build: String
    var participants: Int
    /// Seconds that the call was counted for.
    var seconds: Double
    var rows: [BudgetRow]
    /// A sentence for each row that is not kept.
    var failures: [String]

    init(_ rows: [BudgetRow], participants: Int, seconds: Double, isDebug: Bool) {
        self.rows = rows
        self.participants = participants
        self.seconds = seconds
        build = isDebug ? "debug" : "release"
        failures = rows.filter { !$0.isKept }.map(\.complaint)
        ok = failures.isEmpty
    }

    /// A table for people.
    var text: String {
        let head = "a call of \(participants), counted for \(Int(seconds.rounded())) s, \(build) build"
        return ([head] + rows.map(\.line) + failures.map { "over: \($0)" }).joined(separator: "\n")
    }
}
