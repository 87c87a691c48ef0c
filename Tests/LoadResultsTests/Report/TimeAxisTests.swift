import Testing

@testable import LoadResults

@Suite struct TimeAxisTests {
    @Test(arguments: [(1, 1, 1), (240, 1, 240), (241, 2, 121), (3_600, 15, 240), (86_400, 600, 144)])
    func aLongRunHasSeveralSecondsInABin(seconds: Int, step: Int, bins: Int) {
        var run = LoadResults(run: HandMade.header())
        run.durationSeconds = Double(seconds)
        let axis = TimeAxis(run)
        #expect((axis.step, axis.bins.count) == (step, bins))
        #expect(axis.bins.map(\.start) == (0..<bins).map { $0 * step })
    }

    @Test func anEmptyRunHasOneBin() {
        let axis = TimeAxis(LoadResults(run: HandMade.header()))
        #expect(axis.bins.count == 1 && axis.length == 1 && axis.bins[0].samples == 0)
    }

    @Test func whereASecondLies() {
        let axis = TimeAxis(HandMade.run(100))
        #expect(axis.x(0) == 0 && axis.x(50) == 500 && axis.x(100) == 1_000)
        #expect(axis.x(-5) == 0 && axis.x(1e9) == 1_000)
    }

    @Test(arguments: [(7, 5), (60, 10), (600, 120), (3_600, 600), (86_400, 21_600), (2_000_000, 604_800)])
    func fewLabelsAtRoundNumbers(seconds: Int, distance: Int) {
        let ticks = TimeAxis(HandMade.run(0, seconds: seconds)).ticks
        #expect(ticks.count <= 9 && ticks.first?.label == "0:00")
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1.second - $0.second == distance })
    }

    @Test func aBinAddsUpItsSeconds() {
        let axis = TimeAxis(
            HandMade.run(480) { sample in
                sample.participants.joined = sample.second
                sample.participants.joins = 2
                sample.participants.failures = 1
                sample.video.inbound.nackCount = 3
                sample.tester.loopLagMs = Double(sample.second)
                sample.latency = HandMade.times([1_000], digits: 2)
                sample.server = ServerHealth(cpuProcess: Double(sample.second % 2), residentBytes: Int64(sample.second))
                if sample.second == 5 { sample.saturated = [.loopLag] }
            })
        let bin = axis.bins[2]
        #expect(axis.step == 2 && bin.start == 4 && bin.samples == 2)
        // The last state, and the sums of what happened.
        #expect((bin.participants.joined, bin.participants.joins, bin.participants.failures) == (5, 4, 2))
        #expect(bin.rate(bin.video.inbound.nackCount) == 3 && bin.tester.loopLagMs == 5)
        #expect(bin.latency.count == 2 && bin.serverCPU == 1 && bin.serverMemory == 5)
        #expect(axis.bins.map(\.isSaturated) == (0..<240).map { $0 == 2 })
    }

    @Test func ofSecondsWithoutASampleNothingIsKnown() {
        var run = HandMade.run(10)
        run.seconds.remove(at: 4)
        let bin = TimeAxis(run).bins[4]
        #expect(bin.rate(7) == nil && bin.sampled(7) == nil && bin.serverCPU == nil)
    }

    @Test func ofTwoPrecisionsTheFirstStands() {
        var sum = HistogramSnapshot()
        sum.addIfAlike(nil)
        #expect(sum.isEmpty)
        sum.addIfAlike(HandMade.times([5, 6], digits: 2))
        sum.addIfAlike(HandMade.times([7], digits: 3))
        #expect(sum.significantDigits == 2 && sum.count == 2)
        sum.addIfAlike(HandMade.times([7], digits: 2))
        #expect(sum.count == 3)
    }
}

extension HandMade {
    static func run(_ count: Int, seconds: Int) -> LoadResults {
        var run = run(count)
        run.durationSeconds = Double(seconds)
        return run
    }
}
