import ArgumentParser
import Foundation
import LoadResults

/// What a load test leaves behind.
struct LoadResultOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Write what happens in each second to this file, one JSON object a line.", valueName: "file"))
    var metrics: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Answer GET /metrics for Prometheus, of 127.0.0.1 where no address is given.", valueName: "[address:]port"))
    var metricsAddress: MetricsAddress?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Write a trace of each join to this file, OpenTelemetry's JSON (OTLP), one a line.", valueName: "file"))
    var traces: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Write the results to this file, as --json prints them.", valueName: "file"))
    var output: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Write the results to this file as an HTML page that needs no network.", valueName: "file"))
    var report: String?

    @Option(
        name: .customLong("assert"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What has to hold, such as 'video.freezeRatio<1%' or 'join.p95<=200ms'; may be given more than once.",
            valueName: "threshold"),
        transform: LoadResultOptions.threshold)
    var thresholds: [Threshold] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Write the verdicts to this file as JUnit XML.", valueName: "file"))
    var junit: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The server's process on this machine, to show its processor time.", valueName: "pid"))
    var serverPid: Int32?

    private static func threshold(_ text: String) throws -> Threshold {
        do { return try Threshold(text) } catch { throw ValidationError("\(error)") }
    }

    /// Makes the files, before anything begins. Throws `ExitStatus.Failure` that names one that can't be written.
    func open() throws -> LoadFiles {
        LoadFiles(
            lines: try metrics.map { try ResultFile("--metrics", path: $0) },
            traces: try traces.map { try ResultFile("--traces", path: $0) },
            results: try output.map { try ResultFile("--output", path: $0) },
            page: try report.map { try ResultFile("--report", path: $0) },
            verdicts: try junit.map { try ResultFile("--junit", path: $0) })
    }
}

/// The files that a load test leaves.
struct LoadFiles {
    let lines: ResultFile?
    let traces: ResultFile?
    let results: ResultFile?
    let page: ResultFile?
    let verdicts: ResultFile?

    /// The end of all of them. Throws `ExitStatus.Failure` that names one that can't be written; the others are.
    func finish(_ run: LoadResults) throws {
        let (state, seconds) = (run.state, run.durationSeconds)
        lines?.write(try MetricsLines.end(state, durationSeconds: seconds, interruption: run.interruption))
        results?.write(try ResultsFile.data(run))
        page?.write(Data(ReportPage.html(run).utf8))
        verdicts?.write(Data(JUnitFile.text(run).utf8))
        let faults = [lines, traces, results, page, verdicts].compactMap { file -> (any Error)? in
            do { try file?.close() } catch { return error }
            return nil
        }
        if let first = faults.first { throw first }
    }
}
