import LoadResults
import Testing

/// From where on a change counts.
@Suite struct ToleranceTests {
    private func verdict(_ name: String, _ before: Double, _ after: Double) throws -> Comparison.Verdict? {
        func run(_ value: Double) -> LoadResults {
            HandMade.run(1) { sample in
                switch name {
                case "tester.loopLag": sample.tester.loopLagMs = value
                case "tester.cpu": sample.tester.cpuProcess = value
                case "participants.peak": sample.participants.joined = Int(value)
                case "video.lossRatio":
                    sample.video.inbound.packetsExpected = 100_000
                    sample.video.inbound.packetsLost = Int(value * 100_000)
                default: sample.video.inbound.bytesReceived = Int(value)
                }
            }
        }
        let comparison = Comparison(baseline: run(before), measured: run(after))
        return try #require(comparison.rows.first { $0.metric == name }).verdict
    }

    @Test(arguments: [
        ("tester.loopLag", 10.0, 11.9, Comparison.Verdict.same), ("tester.loopLag", 10, 12.1, .worse),
        ("tester.loopLag", 100, 114, .same), ("tester.loopLag", 100, 84, .better),
        ("tester.cpu", 1, 1.09, .same), ("tester.cpu", 1, 1.11, .worse), ("tester.cpu", 1, 0.5, .better),
        ("participants.peak", 100, 96, .same), ("participants.peak", 100, 90, .worse),
        ("participants.peak", 100, 110, .better), ("video.lossRatio", 0, 0.000_9, .same),
        ("video.lossRatio", 0, 0.002, .worse), ("video.lossRatio", 0.1, 0.109, .same),
        ("video.bitrate", 1_000, 905, .same), ("video.bitrate", 1_000, 890, .worse),
    ])
    func whatIsUsualIsTheSame(name: String, before: Double, after: Double, wanted: Comparison.Verdict) throws {
        #expect(try verdict(name, before, after) == wanted)
    }

    @Test func aChangeFromNothingHasNoShare() throws {
        let (none, some) = (HandMade.run(1), HandMade.run(1) { $0.tester.loopLagMs = 30 })
        let row = try #require(
            Comparison(baseline: none, measured: some).rows.first { $0.metric == "tester.loopLag" })
        #expect(row.change == nil && row.verdict == .worse)
    }
}

/// Percentiles are those of the recorded times, to the precision.
@Suite struct PercentileTests {
    @Test(arguments: [1, 2, 3, 10, 999, 5_000])
    func theyAreThoseOfTheSortedTimes(count: Int) throws {
        var random = SampleRun.Generator(state: UInt64(count))
        let times = (0..<count).map { _ in 100 + random.next() % 2_000_000 }
        let sorted = times.sorted()
        let snapshot = HandMade.times(times)
        for percentile in [0.0, 1, 25, 50, 90, 99, 99.9, 100] {
            let rank = max(1, Int((percentile / 100 * Double(count)).rounded(.up)))
            let exact = Double(sorted[min(rank, count) - 1]) / 1_000
            let measured = try #require(snapshot.percentile(percentile))
            #expect(abs(measured - exact) <= exact * 0.002 + 0.001, "\(percentile): \(measured), \(exact)")
        }
    }

    @Test func ofNothingThereAreNone() {
        #expect(HistogramSnapshot().percentile(50) == nil && HistogramSnapshot().mean == nil)
        #expect(HistogramSnapshot().count == 0)
    }
}
