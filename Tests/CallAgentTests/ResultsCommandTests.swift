import ArgumentParser
import Foundation
import LoadResults
import Testing

@testable import callagent

/// `report`, `compare` and `load merge`, from file to file.
@Suite struct ResultsCommandTests {
    /// A folder that is gone with the test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("results-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appendingPathComponent(name).path }
        func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

        func write(_ results: LoadResults, _ name: String) throws -> String {
            try ResultsOnDisk.write(results, to: path(name))
            return path(name)
        }
    }

    private func results(joinMs: UInt64 = 20, shard: Int? = nil) -> LoadResults {
        var results = LoadResults(
            run: RunHeader(
                toolVersion: "0.1.0", arguments: ["load"], timestamp: 1_795_410_000_000,
                machine: .init(hostname: "h", kernel: "Linux", cpuModel: "c", cpuCount: 2, memoryBytes: 1),
                shard: shard.map { .init(index: $0, count: 2) }))
        var joins = LatencyHistogram()
        joins.record(microseconds: joinMs * 1_000, count: 10)
        results.histograms.join = joins.snapshot
        results.seconds = [SecondSample(second: 0)]
        results.durationSeconds = 1
        results.judge()
        return results
    }

    private func run(_ command: any ParsableCommand.Type, _ arguments: [String]) throws {
        var command = try command.parse(arguments)
        try command.run()
    }

    @Test func aReportIsWritten() throws {
        let folder = try Folder()
        let file = try folder.write(results(), "r.json")
        try run(ReportCommand.self, [file, "-o", folder.path("r.html"), "--junit", folder.path("r.xml")])
        #expect(try folder.text("r.html").hasPrefix("<!DOCTYPE html>"))
        #expect(try folder.text("r.xml").contains("<testsuites name=\"callagent load\""))
    }

    @Test func anAssertThatDoesNotHoldIsCodeOne() throws {
        let folder = try Folder()
        let file = try folder.write(results(), "r.json")
        let output = ["-o", folder.path("r.html")]
        try run(ReportCommand.self, [file, "--assert", "join.p95<30ms"] + output)
        #expect(throws: ExitCode(1)) { try run(ReportCommand.self, [file, "--assert", "join.p95<10ms"] + output) }
        #expect(try folder.text("r.html").contains("join.p95&lt;10ms"))
    }

    @Test func aRunThatIsSlowerThanItsBaselineIsCodeOne() throws {
        let folder = try Folder()
        let (fast, slow) = (try folder.write(results(), "a.json"), try folder.write(results(joinMs: 40), "b.json"))
        try run(CompareCommand.self, [fast, fast])
        try run(CompareCommand.self, [slow, fast, "--json"])
        #expect(throws: ExitCode(1)) { try run(CompareCommand.self, [fast, slow]) }
        let loose = ["p50", "p90", "p95", "p99", "p99.9", "mean", "max"].flatMap { ["--tolerance", "join.\($0)=100%"] }
        try run(CompareCommand.self, [fast, slow] + loose)
    }

    @Test func partsAreMerged() throws {
        let folder = try Folder()
        let parts = [
            try folder.write(results(shard: 0), "a.json"), try folder.write(results(joinMs: 40, shard: 1), "b.json"),
        ]
        try run(LoadMergeCommand.self, parts + ["-o", folder.path("c.json")])
        let merged = try ResultsOnDisk.read(folder.path("c.json"))
        #expect(merged.histograms.join.count == 20 && merged.shards?.count == 2)
        let fault = #expect(throws: ExitStatus.Failure.self) {
            try run(LoadMergeCommand.self, [parts[0], parts[0], "-o", folder.path("d.json")])
        }
        #expect(fault?.status == .usage)
    }

    @Test func filesThatCanNotBeUsedAreNamed() throws {
        let folder = try Folder()
        let missing = #expect(throws: ExitStatus.Failure.self) { try run(ReportCommand.self, [folder.path("none")]) }
        #expect(missing?.status == .environment && missing?.message.contains("No such file") == true)
        try Data("{}".utf8).write(to: folder.url.appendingPathComponent("empty.json"))
        let empty = #expect(throws: ExitStatus.Failure.self) {
            try run(ReportCommand.self, [folder.path("empty.json")])
        }
        #expect(empty?.status == .usage && empty?.message.contains("schemaVersion: the field is missing") == true)
        let file = try folder.write(results(), "r.json")
        let unwritable = #expect(throws: ExitStatus.Failure.self) {
            try run(ReportCommand.self, [file, "-o", folder.path("no/such/folder.html")])
        }
        #expect(unwritable?.status == .environment)
    }

    @Test(arguments: [
        ["report"], ["report", "a", "--assert", "join.p95"], ["report", "a", "--assert", "jion.p95<1s"],
        ["compare", "a"], ["compare", "a", "b", "--tolerance", "join.p95"], ["compare", "a", "b", "c"],
    ])
    func wrongCommandLinesAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(arguments) }
    }

    @Test func aMergeOfOneIsNone() { #expect(throws: (any Error).self) { _ = try LoadMergeCommand.parse(["a.json"]) } }

    @Test(arguments: [
        ("9464", "127.0.0.1", 9_464), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:80", "::1", 80),
        ("host:65535", "host", 65_535),
    ])
    func addressesOfMetrics(text: String, host: String, port: Int) throws {
        let address = try #require(MetricsAddress(argument: text))
        #expect(address.host == host && address.port == port)
        #expect(address.url(port: 5).hasSuffix(host == "::1" ? "[::1]:5/metrics" : "\(host):5/metrics"))
    }

    @Test(arguments: ["", "x", "65536", "-1", ":80", "::1:80", "host:", "host:+5", "1.5"])
    func whatIsNoAddress(text: String) { #expect(MetricsAddress(argument: text) == nil) }
}
