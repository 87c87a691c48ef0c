import LoadResults
import Testing

@Suite struct ComparisonTests {
    private let base = SampleRun(subscribers: 8, duration: 10, throttled: nil, starved: 0..<0).make()

    private func row(_ comparison: Comparison, _ name: String) throws -> Comparison.Row {
        try #require(comparison.rows.first { $0.metric == name })
    }

    @Test func aRunIsTheSameAsItself() {
        let comparison = Comparison(baseline: base, measured: base)
        #expect(comparison.verdict == .same && comparison.warnings.isEmpty)
        #expect(comparison.rows.allSatisfy { $0.verdict == .same || $0.verdict == nil })
        #expect(comparison.text().hasPrefix("the same as the baseline; "))
    }

    @Test func slowerJoinsAreWorseAndTheOtherWayAroundBetter() throws {
        var slow = base
        var joins = LatencyHistogram()
        for bucket in base.histograms.join.buckets { joins.record(microseconds: bucket.value * 2, count: bucket.count) }
        slow.histograms.join = joins.snapshot
        let worse = Comparison(baseline: base, measured: slow)
        #expect(worse.verdict == .worse)
        #expect(try row(worse, "join.p50").verdict == .worse && abs((row(worse, "join.p50").change ?? 0) - 1) < 0.01)
        #expect(worse.text().contains("WORSE than the baseline: join.p50"))
        #expect(Comparison(baseline: slow, measured: base).verdict == .better)
    }

    @Test func aToleranceChangesTheVerdict() throws {
        var other = base
        other.seconds[4].video.inbound.freezeCount = 7
        #expect(Comparison(baseline: base, measured: other).verdict == .worse)
        let (name, tolerance) = try Tolerance.parse("video.freezeCount=7")
        #expect(Comparison(baseline: base, measured: other, tolerances: [name: tolerance]).verdict == .same)
    }

    @Test func lessOfWhatIsGoodIsWorse() throws {
        var fewer = base
        for index in fewer.seconds.indices { fewer.seconds[index].participants.joined /= 2 }
        #expect(try row(Comparison(baseline: base, measured: fewer), "participants.peak").verdict == .worse)
    }

    @Test func whatOnlyOneHasMeasuredIsLeftOut() {
        var silent = base
        silent.histograms.firstAudio = HistogramSnapshot()
        #expect(!Comparison(baseline: silent, measured: base).rows.contains { $0.metric.hasPrefix("firstAudio.") })
    }

    @Test func whatMakesItDoubtfulIsSaid() {
        var other = SampleRun(subscribers: 8, duration: 10, starved: 3..<5).make()
        other.run.machine.cpuCount = 64
        other.state = .partial
        other.judge()
        let warnings = Comparison(baseline: base, measured: other).warnings
        #expect(warnings.contains("the run is partial"))
        #expect(warnings.contains { $0.hasPrefix("the run: the tester was the bottleneck") })
        #expect(warnings.contains("the machines differ: 2 x Zen 5, 64 x Zen 5"))
    }

    @Test func theTableStandsInColumns() throws {
        let lines = Comparison(baseline: base, measured: base).text(all: true).split(separator: "\n")
        #expect(lines.count == Comparison(baseline: base, measured: base).rows.count + 2)
        let head = try #require(lines.first)
        #expect(head.hasPrefix("metric ") && head.hasSuffix("change"))
    }

    @Test(arguments: [
        ("join.p95=20%", 0.2, 0), ("join.p95=5ms", 0, 5), ("video.lossRatio = 50%", 0.5, 0),
        ("video.lossRatio=0.01", 0, 0.01),
    ])
    func tolerances(text: String, relative: Double, absolute: Double) throws {
        #expect(try Tolerance.parse(text).tolerance == Tolerance(relative: relative, absolute: absolute))
    }

    @Test(arguments: [
        ("join.p95", "use METRIC=VALUE"), ("join.p59=3%", "did you mean join.p"),
        ("join.p95=-3ms", "percent of the baseline"),
        ("join.p95=soon", "percent of the baseline"),
    ])
    func wrongTolerances(text: String, words: String) {
        let error = #expect(throws: ToleranceError.self) { _ = try Tolerance.parse(text) }
        #expect(error?.description.contains(words) == true)
    }
}
