import Foundation
import LoadResults
import Testing

/// What is written keeps to the published schemas, and every field that is written stands in them. PyPI's `jsonschema` checks
/// the same files in Tests/Interop.
@Suite struct SchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let vector = root.appendingPathComponent("Tests/Vectors/load-results/run.json")
    private static let lineVector = root.appendingPathComponent("Tests/Vectors/load-results/seconds.jsonl")

    private let schemas: [String: Any]

    init() throws {
        schemas = try Dictionary(
            uniqueKeysWithValues: ["load-results.json", "load-metrics.json"].map { name in
                let data = try Data(contentsOf: Self.root.appendingPathComponent("docs/schema/\(name)"))
                return (name, try JSONSerialization.jsonObject(with: data))
            })
    }

    static func run() throws -> LoadResults {
        var run = SampleRun(subscribers: 6, duration: 8, throttled: 2, starved: 3..<5).make()
        run.run.shard = .init(index: 0, count: 1)
        run.shards = [run.run]
        run.seconds[2].tester.openDescriptors = 40
        run.participants[5].endReason = .disconnected
        run.participants[5].endSecond = 6.5
        run.participants[5].failure = "the connection was lost"
        run.cycles = [CycleRemainder(heapBytes: 9_400_000, openFiles: 26)]
        run.state = .interrupted
        run.interruption = "SIGINT"
        run.judge([
            try Threshold("join.p95<1s"), try Threshold("video.freezeRatio<0.01%"), try Threshold("join.p50<1us"),
        ])
        return run
    }

    static func lines(_ run: LoadResults) throws -> Data {
        var lines = try MetricsLines.header(run.run)
        for sample in run.seconds { lines += try MetricsLines.second(sample) }
        return try lines + MetricsLines.end(.interrupted, durationSeconds: 8, interruption: "SIGINT")
    }

    private func faults(_ data: Data, _ schema: String) throws -> [String] {
        SchemaChecker(schemas: schemas).faults(try JSONSerialization.jsonObject(with: data), file: schema)
    }

    @Test func resultsKeepToTheSchema() throws {
        var run = try Self.run()
        // Counted since 1.3; the vectors are of 1.2.
        run.seconds[2].tester.timers = 800
        #expect(try faults(try ResultsFile.data(run), "load-results.json") == [])
        #expect(try faults(try ResultsFile.data(SampleRun().make()), "load-results.json") == [])
        let empty = LoadResults(run: try Self.run().run)
        #expect(try faults(try ResultsFile.data(empty), "load-results.json") == [])
    }

    @Test func linesKeepToTheSchema() throws {
        for line in try Self.lines(Self.run()).split(separator: UInt8(ascii: "\n")) {
            #expect(try faults(line, "load-metrics.json") == [])
        }
    }

    @Test func theCheckerFindsWhatIsWrong() throws {
        var run = try #require(
            try JSONSerialization.jsonObject(with: try ResultsFile.data(Self.run())) as? [String: Any])
        run["mood"] = 3
        run["state"] = "sleepy"
        run["durationSeconds"] = -1
        run["histograms"] = ["join": [:] as [String: Any]]
        let found = SchemaChecker(schemas: schemas).faults(run, file: "load-results.json").joined(separator: "\n")
        for words in ["$.mood", "$.state", "$.durationSeconds", "$.histograms.latency", "$.histograms.join.buckets"] {
            #expect(found.contains(words), "\(words)")
        }
    }

    /// A file of an earlier release is read for ever: these vectors change by additions alone. With
    /// CALLBRIDGE_WRITE_VECTORS=1 they are written anew.
    @Test func earlierFilesAreRead() throws {
        let (run, lines) = (try Self.run(), try Self.lines(Self.run()))
        if ProcessInfo.processInfo.environment["CALLBRIDGE_WRITE_VECTORS"] == "1" {
            try ResultsFile.data(run).write(to: Self.vector)
            try lines.write(to: Self.lineVector)
        }
        var expected = run
        expected.schemaVersion = SchemaVersion(major: 1, minor: 2)
        #expect(try ResultsFile.read(try Data(contentsOf: Self.vector)) == expected)
        let read = try ResultsFile.read(try Data(contentsOf: Self.lineVector))
        #expect(read.seconds == run.seconds && read.state == .interrupted && read.interruption == "SIGINT")
    }

    @Test func everyMetricStandsInTheDocument() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/load-results.md"), encoding: .utf8)
        for metric in Metric.all {
            let parts = metric.name.split(separator: ".", maxSplits: 1).map(String.init)
            #expect(
                page.contains("`\(metric.name)`") || page.contains("`\(parts[0]).*`") && page.contains("`\(parts[1])`"),
                "\(metric.name)")
        }
    }
}
