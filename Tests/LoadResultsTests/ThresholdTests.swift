import LoadResults
import Testing

@Suite struct ThresholdTests {
    private var run: LoadResults {
        var run = SampleRun(subscribers: 8, duration: 10, throttled: nil, starved: 0..<0).make()
        for index in run.seconds.indices { run.seconds[index].video.inbound.packetsLost = 0 }
        return run
    }

    @Test(arguments: [
        ("video.freezeRatio<1%", 0.01), ("video.freezeRatio<0.01", 0.01), ("join.p95 <= 200ms", 200),
        ("join.p95<=0.2s", 200), ("latency.p99.9<500us", 0.5), (" audio.lossRatio == 0 ", 0),
        ("participants.joinRate>=120/min", 2), ("video.bitrate>2.5Mbit/s", 2.5e6), ("video.bitrate>800kbps", 8e5),
        ("tester.heap<60MiB", 62_914_560), ("tester.cpu<150%", 1.5), ("video.framesReceived!=0", 0),
        ("video.totalFreezesDuration<1min", 60),
    ])
    func valuesHaveUnits(text: String, limit: Double) throws {
        let threshold = try Threshold(text)
        #expect(abs(threshold.limit - limit) < 1e-9)
        #expect(threshold.expression == text)
    }

    @Test(arguments: [
        ("video.freezeRate<1%", "did you mean video.freezeRatio?"), ("join<1s", "did you mean join.p"),
        ("Join.P95<1s", "did you mean join.p95?"), ("join.p95", "an operator is missing"),
        ("join.p95=5ms", "an operator is missing"), ("", "an operator is missing"),
        ("join.p95<5%", "possible are min, ms, s, us"), ("join.p95<", "is no value of join.p95"),
        ("video.freezeCount<5ms", "it has no unit"), ("join.p95<1e999ms", "is no value"),
        ("join.p95<-ms", "is no value"),
        ("<5", "there is no metric \"\""), ("join.p95<1ms<2ms", "is no value"),
    ])
    func whatIsWrongIsNamedWithTheRemedy(text: String, words: String) {
        let error = #expect(throws: ThresholdError.self) { _ = try Threshold(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix("--assert '\(text)'") == true)
    }

    @Test func aNameWithoutEndCostsLittle() {
        let error = #expect(throws: ThresholdError.self) {
            _ = try Threshold(String(repeating: "join.", count: 100_000) + "<1")
        }
        #expect(error?.description.contains("did you mean") == true)
    }

    @Test(arguments: [
        ("participants.joins<8", false), ("participants.joins<=8", true), ("participants.joins==8", true),
        ("participants.joins!=8", false), ("participants.joins>=8", true), ("participants.joins>8", false),
    ])
    func operators(text: String, holds: Bool) throws {
        let verdict = try Threshold(text).verdict(run)
        #expect(verdict.ok == holds && verdict.measured == 8)
        #expect(verdict.message.contains("participants.joins is 8"))
    }

    @Test func whatWasNotMeasuredDoesNotHold() throws {
        var silent = run
        silent.histograms.join = HistogramSnapshot()
        let verdict = try Threshold("join.p95<1s").verdict(silent)
        #expect(!verdict.ok && verdict.measured == nil && verdict.message.contains("was not measured"))
    }

    @Test func everyMetricHasANameOfItsOwnAndAValue() {
        let names = Metric.all.map(\.name)
        #expect(Set(names).count == names.count && names.count > 60)
        var whole = SampleRun().make()
        whole.histograms.latency = whole.histograms.join
        for metric in Metric.all {
            #expect(metric.value(whole) != nil, "\(metric.name)")
            #expect(metric.value(LoadResults(run: whole.run)) == nil, "\(metric.name) of an empty run")
            #expect(!metric.meaning.isEmpty)
        }
    }
}

@Suite struct JudgementTests {
    private var good: LoadResults {
        var run = SampleRun(subscribers: 8, duration: 10, throttled: nil, starved: 0..<0).make()
        for index in run.seconds.indices { run.seconds[index].video.inbound.packetsLost = 0 }
        return run
    }

    @Test func aGoodRun() throws {
        var run = good
        run.judge([try Threshold("join.p95<1s")])
        #expect(run.verdicts.ok && run.verdicts.isWhole && run.verdicts.failures.isEmpty)
        #expect(run.verdicts.saturation == nil)
    }

    @Test func aThresholdThatDoesNotHoldIsNamed() throws {
        var run = good
        run.judge([try Threshold("join.p95<1ms")])
        #expect(!run.verdicts.ok && run.verdicts.isWhole)
        #expect(run.verdicts.failures.count == 1 && run.verdicts.failures[0].contains("wanted: < 1.00 ms"))
    }

    @Test func theTestersFaultComesFirst() {
        var run = SampleRun(subscribers: 8, duration: 30, starved: 20..<24).make()
        run.participants[2].endReason = .joinFailed
        run.participants[3].endReason = .disconnected
        run.state = .interrupted
        run.interruption = "SIGTERM"
        run.judge()
        let failures = run.verdicts.failures
        #expect(failures.first?.hasPrefix("the tester was the bottleneck in 4 of 30 seconds (20-23): ") == true)
        #expect(failures.contains("the run is interrupted: SIGTERM"))
        #expect(failures.contains("1 of 8 participants did not get in"))
        #expect(failures.contains("1 of 8 participants were lost after they had joined"))
        #expect(failures.contains { $0.contains("video packets are lost (") })
        #expect(!run.verdicts.isWhole && !run.verdicts.ok)
    }

    @Test func rangesOfSeconds() {
        func ranges(_ seconds: [Int]) -> String { Saturation(seconds: seconds, reasons: [.loopLag]).ranges }
        #expect(ranges([3]) == "3")
        #expect(ranges([3, 4, 5, 9, 11, 12]) == "3-5, 9, 11-12")
        #expect(ranges(Array(stride(from: 0, to: 40, by: 2))) == "0, 2, 4, 6, 8, 10, ...")
    }

    @Test func eachLimitIsOne() {
        func reasons(_ change: (inout TesterHealth) -> Void) -> [SaturationReason] {
            var health = TesterHealth()
            change(&health)
            return SaturationLimits().reasons(in: health)
        }
        #expect(reasons { $0.loopLagMs = 50 }.isEmpty)
        #expect(reasons { $0.loopLagMs = 51 } == [.loopLag])
        #expect(reasons { $0.lateTimers = 51 } == [.lateTimers])
        #expect(reasons { ($0.lateTimers, $0.timers) = (160, 16_000) }.isEmpty)
        #expect(reasons { ($0.lateTimers, $0.timers) = (161, 16_000) } == [.lateTimers])
        #expect(reasons { ($0.lateTimers, $0.timers) = (51, 1_000) } == [.lateTimers])
        #expect(reasons { $0.sendQueueDelayMs = 51 } == [.sendQueueDelay])
        #expect(reasons { $0.receiveBufferDrops = 1 } == [.receiveBufferDrops])
        #expect(reasons { $0.sendFailures = 1 } == [.sendFailures])
        #expect(reasons { $0.threads = [.init(name: "a", cpu: 0.5), .init(name: "b", cpu: 0.96)] } == [.cpuThread])
        #expect(reasons { $0.threads = [.init(name: "a", cpu: 0.1, waiting: 0.86)] } == [.cpuThread])
        #expect(reasons { $0.threads = [.init(name: "a", cpu: 0.1, waiting: 0.8)] }.isEmpty)
    }

    @Test func theThrottledSubscriberIsFound() throws {
        let outlier = try #require(SampleRun().make().outliers.first)
        #expect(outlier.identity == "sub-17" && outlier.finding.contains("of video (median"))
        #expect(SampleRun(throttled: nil).make().outliers.isEmpty)
    }
}
