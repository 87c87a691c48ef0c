import ArgumentParser
import Foundation
import LoadResults

/// `--assert` and `--junit` of `load` and `report`.
struct VerdictOptions: ParsableArguments {
    @Option(
        name: .customLong("assert"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What has to hold, as in 'video.freezeRatio<1%' or 'join.p95<=200ms'; may be given more than once.",
            discussion: "docs/load-results.md has the metrics' names.", valueName: "threshold"))
    var assertions: [String] = []

    @Option(name: .long, parsing: .unconditional, help: "Write the verdicts to this file as JUnit XML.")
    var junit: String?

    /// Those of the command line.
    func thresholds() throws -> [Threshold] {
        try assertions.map { text in
            do throws(ThresholdError) {
                return try Threshold(text)
            } catch {
                throw ValidationError("\(error)")
            }
        }
    }

    /// Writes the file of `--junit`, where one is wanted.
    func write(_ results: LoadResults) throws {
        guard let junit else { return }
        try ResultsOnDisk.write(Data(JUnitFile.text(results).utf8), to: junit)
    }
}
