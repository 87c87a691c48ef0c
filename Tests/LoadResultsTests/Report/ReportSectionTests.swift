import Testing

@testable import LoadResults

@Suite struct ReportSectionTests {
    private func header(_ change: (inout LoadResults) -> Void) -> String {
        var run = HandMade.run(3) { $0.participants.joined = 4 }
        change(&run)
        run.judge(run.verdicts.thresholds.compactMap { try? Threshold($0.expression) })
        return ReportHeader(results: run).html
    }

    private func banner(_ change: (inout LoadResults) -> Void) -> String? {
        header(change).firstMatch(of: #/<div class="banner ([a-z]+)" role="status"><strong>([^<]*)</#)
            .map { "\($0.output.1): \($0.output.2)" }
    }

    @Test func theBannerSaysWhatCounts() {
        #expect(banner { _ in } == "good: Passed")
        #expect(banner { $0.seconds[0].video.inbound.packetsLost = 3 } == "fail: Failed")
        #expect(banner { $0.state = .interrupted } == "warn: Interrupted")
        #expect(banner { $0.state = .partial } == "warn: Partial results")
        #expect(
            banner {
                $0.state = .partial
                $0.seconds[1].saturated = [.cpuThread]
            } == "warn: The tester was the bottleneck")
    }

    @Test func failuresAreSentences() {
        let html = header { $0.seconds[0].video.inbound.packetsLost = 3 }
        #expect(html.contains("<li>3 video packets are lost</li>"))
        #expect(header { _ in }.contains("<p>Everything that was sent has arrived.</p>"))
    }

    @Test func whoStandsOutIsNamedAndTheRestCounted() {
        let html = header { run in
            run.participants = (0..<20).map { HandMade.subscriber("s\($0)") }
            for index in 0..<5 { run.participants.append(HandMade.subscriber("bad\(index)", lost: 100 + index * 50)) }
        }
        #expect(html.contains("<li>Participant bad4 lost 30.0 % of its packets (median 0.00 %)</li>"))
        #expect(html.components("<li>Participant ") == 3 && html.contains("<li>2 more participants fared much worse"))
    }

    @Test func factsOfTheRun() {
        let html = header { run in
            run.run.target = "wss://h"
            run.run.shard = .init(index: 1, count: 4)
            run.shards = [run.run, run.run]
            run.durationSeconds = 300
        }
        for fact in ["wss://h", "shard 1 of 4", "2 shards", "5:00 min", "0 participants"] {
            #expect(html.contains(fact), "\(fact)")
        }
    }

    @Test func tilesOfWhatWasNotMeasuredAreLeftOut() {
        let html = header { $0.histograms.join = HandMade.times([10_000]) }
        #expect(html.contains("<span>Join, p95</span><b>10.0 ms</b><small>median 10.0 ms</small>"))
        #expect(html.contains("<span>In a room at once</span><b>4</b>") && !html.contains("First picture"))
    }

    @Test func thresholdsHaveTheirValue() {
        let html = header { run in
            run.verdicts.thresholds = ["participants.peak>=4", "participants.peak<2", "join.p50<1s"].map {
                ThresholdVerdict(expression: $0, ok: false, measured: nil, message: "")
            }
        }
        #expect(html.components("<li class=\"good\"") == 1 && html.components("<li class=\"fail\"") == 2)
        #expect(html.contains("<code>participants.peak&gt;=4</code><span>4</span>"))
        #expect(html.contains("<code>join.p50&lt;1s</code><span>not measured</span>"))
    }

    @Test func everyKindOfTimeHasARow() {
        var run = HandMade.run(1)
        #expect(PercentileTable(results: run).html.isEmpty)
        run.histograms.join = HandMade.times([1_000, 3_000])
        run.histograms.rpc = HandMade.times([2_000])
        let html = PercentileTable(results: run).html
        #expect(html.contains("<tr><th>Join</th>") && html.contains("<tr><th>Remote call</th>"))
        #expect(html.components("<tr><th>") == 3 && html.contains("<td>2.00 ms</td>"))
    }

    @Test func allShardsAreListed() {
        var run = HandMade.run(1)
        run.shards = (0..<70).map { HandMade.header(.init(index: $0, count: 70)) }
        let html = RunDetails(results: run).html
        #expect(html.components("<dl>") == 64 && html.contains("<dt>Shard</dt><dd>63 of 70</dd>"))
        #expect(html.contains("64 of 70 shards."))
        run.shards = nil
        #expect(RunDetails(results: run).html.components("<dl>") == 1)
    }

    private func participants(_ list: [ParticipantResult]) -> String {
        var run = HandMade.run(10)
        run.participants = list
        return ParticipantSections(results: run, axis: TimeAxis(run)).html
    }

    @Test func theWorstComesFirst() throws {
        let html = participants([
            HandMade.subscriber("fine"), HandMade.subscriber("fair", lost: 5), HandMade.subscriber("bad", lost: 400),
            HandMade.subscriber("good"),
        ])
        let order = html.matches(of: #/<tr><th>([a-z]+)</th><td>/#).map { String($0.output.1) }
        #expect(order == ["bad", "fair", "fine", "good"])
    }

    @Test func ofOneNameInTwoRoomsTheRightOneComesFirst() {
        let html = participants(
            (0..<4).map { HandMade.subscriber("s", room: "r\($0)", lost: $0 == 2 ? 300 : 0) })
        let order = html.matches(of: #/<tr><th>s</th><td>(r[0-9])</td>/#).map { String($0.output.1) }
        #expect(order.first == "r2")
    }

    @Test func howAStayEnded() {
        var lost = HandMade.subscriber("lost")
        (lost.endReason, lost.failure) = (.disconnected, "gone & away")
        #expect(participants([lost]).contains("<td>disconnected: gone &amp; away</td>"))
        #expect(participants([HandMade.subscriber("s")]).contains("<td>left</td>"))
        #expect(participants([]).isEmpty)
    }

    @Test func longListsAreCut() {
        let html = participants((0..<600).map { HandMade.subscriber("s\($0)") })
        #expect(html.components("<tr><th>s") == 500 && html.contains("The worst 500 of 600"))
    }
}
