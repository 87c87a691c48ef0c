import ArgumentParser
import CallModel
import Foundation
import LoadResults

/// `callagent compare`: a run beside its baseline.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare the results of a load test with those of an earlier one.",
        discussion: """
            Each metric has a tolerance; what changes less is the same. docs/load-results.md has the metrics' names and their \
            tolerances. A warning says what makes a comparison doubtful, above all a tester that was the bottleneck.

            EXAMPLES
              callagent compare baseline.json results.json
              callagent compare baseline.json results.json --tolerance 'join.p95=20%' --tolerance 'latency.p99=5ms'
              callagent compare baseline.json results.json --json

            EXIT CODES
              0  nothing is worse than the baseline
              1  something is; it is named
              2  the command line is wrong, or a file holds no results; the field is named
              3  a file can't be read
            """)

    @Argument(help: "The earlier results.")
    var baseline: String

    @Argument(help: "The results that are judged.")
    var results: String

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "By how much a metric may change: percent of the baseline, or a value. May be given more than once.",
            valueName: "metric=value"))
    var tolerance: [String] = []

    @Flag(name: .long, help: "Show every metric, also those that are the same.")
    var all = false

    @Flag(name: .long, help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws { _ = try tolerances() }

    func run() throws {
        let comparison = Comparison(
            baseline: try ResultsOnDisk.read(baseline), measured: try ResultsOnDisk.read(results),
            tolerances: try tolerances())
        if json {
            JSONOutput.print(comparison)
        } else {
            let lines = comparison.text(all: all).split(separator: "\n").map { String($0).printable }
            StandardOutput.report(lines.joined(separator: "\n"))
        }
        if comparison.verdict == .worse { throw ExitCode(ExitStatus.lost.rawValue) }
    }

    private func tolerances() throws -> [String: Tolerance] {
        var tolerances: [String: Tolerance] = [:]
        for text in tolerance {
            do throws(ToleranceError) {
                let (metric, tolerance) = try Tolerance.parse(text)
                tolerances[metric] = tolerance
            } catch {
                throw ValidationError("\(error)")
            }
        }
        return tolerances
    }
}
