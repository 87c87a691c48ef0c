import CallModel
import Foundation
import ScenarioCore

/// A scenario's report as a person likes to read it.
struct ScenarioText {
    private let isColoured: Bool

    init() {
        self.init(
            isColoured: isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil)
    }

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// - Parameter elapsed: seconds by the machine's clock.
    func text(_ report: ScenarioReport, elapsed: Double) -> String {
        let took = report.mode == ScenarioMode.virtual.rawValue ? ", took \(number(elapsed)) s" : ""
        let who =
            report.story.map { $0.clients == 1 ? "1 story" : "\($0.clients) stories" }
            ?? "\(report.people.count) people"
        var lines = [
            "\(report.scenario) (\(report.file)): \(who), \(number(report.durationSeconds)) s in "
                + "\(report.mode == "virtual" ? "virtual time" : "real time")\(took)"
        ]
        lines += rows(report)
        if let story = report.story { lines += story.text.split(separator: "\n").map { "       " + $0 } }
        lines += report.troubles.prefix(Self.limit).map { red("FAILED ") + "could not be done: \($0)" }
        if let interrupted = report.interrupted {
            lines.append(
                red("FAILED ")
                    + "interrupted by \(interrupted) after \(number(report.durationSeconds)) s: judged as far as it went"
            )
        }
        if let late = report.lateMilliseconds, late > 500 {
            lines.append(
                "this machine ran media timers \(number(late)) ms late in sum: it was too busy for what it carried")
        }
        let met = report.expectations.count(where: \.ok)
        lines.append(
            (report.ok ? green("ok") : red("FAILED")) + "  \(met) of \(report.expectations.count) expectations met")
        return lines.map(\.printableLine).joined(separator: "\n")
    }

    private static let limit = 20

    /// One row for each line of the file and what it claims; of a crowd the worst are named.
    private func rows(_ report: ScenarioReport) -> [String] {
        var groups: [[ScenarioReport.Expected]] = []
        for item in report.expectations {
            if let last = groups.last?.last, last.line == item.line, last.column == item.column {
                groups[groups.count - 1].append(item)
            } else {
                groups.append([item])
            }
        }
        return groups.flatMap { row($0) }
    }

    private func row(_ items: [ScenarioReport.Expected]) -> [String] {
        let failed = items.filter { !$0.ok }
        let place = "line \(items[0].line)"
        if failed.isEmpty {
            let more = items.count > 1 ? " (and \(items.count - 1) more like it)" : ""
            return [green("ok     ") + pad(place, 10) + items[0].expected + more + dim("  \(items[0].measured)")]
        }
        let shown = failed.prefix(Self.limit).map {
            red("FAILED ") + pad("line \($0.line)", 10) + "\($0.expected): \($0.measured)"
        }
        let rest = failed.count - shown.count
        return shown + (rest > 0 ? [red("FAILED ") + pad(place, 10) + "and \(rest) more"] : [])
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func number(_ value: Double) -> String { Decimal.text((value * 10).rounded() / 10) }

    private func green(_ text: String) -> String { isColoured ? "\u{1b}[32m\(text)\u{1b}[0m" : text }
    private func red(_ text: String) -> String { isColoured ? "\u{1b}[31m\(text)\u{1b}[0m" : text }
    private func dim(_ text: String) -> String { isColoured ? "\u{1b}[2m\(text)\u{1b}[0m" : text }
}

extension String {
    /// Our own colours stay; what others wrote is made printable where it comes in.
    fileprivate var printableLine: String { replacingOccurrences(of: "\n", with: " ") }
}
