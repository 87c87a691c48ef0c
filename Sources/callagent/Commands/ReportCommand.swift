import ArgumentParser
import Foundation
import LoadResults

/// `callagent report`: results as a page for people, and as verdicts for machines.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make an HTML report of the results of a load test; judge thresholds of them.",
        discussion: """
            The report is one file: it loads nothing and runs nothing, and reads well on phones and on paper. Results are what \
            `callagent load --json` prints, or the lines that its --metrics writes, also those of a run that was killed. \
            docs/load-results.md has the metrics' names.

            EXAMPLES
              callagent report results.json -o report.html
              callagent report results.json --assert 'video.freezeRatio<1%' --assert 'join.p95<=200ms' --junit verdicts.xml

            EXIT CODES
              0  it is written; every --assert holds
              1  an --assert does not hold; it is named
              2  the command line is wrong, or the file holds no results; the field is named
              3  a file can't be read or written
            """)

    @Argument(help: "The results, JSON or JSON lines.")
    var results: String

    @Option(name: [.customShort("o"), .long], help: "The HTML file; without it and --junit, report.html.")
    var output: String?

    @OptionGroup var verdicts: VerdictOptions

    func validate() throws { _ = try verdicts.thresholds() }

    func run() throws {
        var read = try ResultsOnDisk.read(results)
        let thresholds = try verdicts.thresholds()
        // Without --assert the file's own verdicts stand; one that was cut short has none yet.
        if !thresholds.isEmpty || read.state == .partial { read.judge(thresholds) }
        if let path = output ?? (verdicts.junit == nil ? "report.html" : nil) {
            try ResultsOnDisk.write(Data(ReportPage.html(read).utf8), to: path)
        }
        try verdicts.write(read)
        for verdict in read.verdicts.thresholds { StandardOutput.report(verdict.message) }
        if !read.verdicts.thresholds.allSatisfy(\.ok), !thresholds.isEmpty { throw ExitCode(ExitStatus.lost.rawValue) }
    }
}
