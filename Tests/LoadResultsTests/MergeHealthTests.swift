import Testing

@testable import LoadResults

/// What becomes of testers' health and of the rest of a second where parts are put together.
@Suite struct MergeHealthTests {
    private func merged(_ change: (inout SecondSample, inout SecondSample) -> Void) throws -> SecondSample {
        var (one, two) = (HandMade.run(1), HandMade.run(1))
        one.run.shard = .init(index: 0, count: 2)
        two.run.shard = .init(index: 1, count: 2)
        change(&one.seconds[0], &two.seconds[0])
        return try #require(try LoadResults.merge([("a", one), ("b", two)]).seconds.first)
    }

    @Test func ofTwoTestersTheWorseStands() throws {
        let tester = try merged { one, two in
            one.tester.loopLagMs = 5
            two.tester.loopLagMs = 9
            one.tester.sendQueueDelayMs = 4
            one.tester.cpuProcess = 0.5
            two.tester.cpuProcess = 0.25
            one.tester.cpuMachine = 1.5
            two.tester.heapBytes = 70
            (one.tester.residentBytes, two.tester.residentBytes) = (10, 20)
            (one.tester.openDescriptors, two.tester.openDescriptors) = (30, 8)
        }.tester
        #expect((tester.loopLagMs, tester.sendQueueDelayMs, tester.cpuProcess) == (9, 4, 0.5))
        #expect((tester.cpuMachine, tester.heapBytes) == (1.5, 70))
        #expect((tester.residentBytes, tester.openDescriptors) == (20, 30))
    }

    @Test func whatWentWrongAddsUp() throws {
        let tester = try merged { one, two in
            (one.tester.lateTimers, two.tester.lateTimers) = (3, 4)
            (one.tester.timers, two.tester.timers) = (300, 50)
            (one.tester.receiveBufferDrops, two.tester.receiveBufferDrops) = (1, 1)
            two.tester.sendFailures = 2
        }.tester
        #expect((tester.lateTimers, tester.receiveBufferDrops, tester.sendFailures) == (7, 2, 2))
        #expect(tester.timers == 350)
    }

    @Test func theBusiestThreadsOfBothAreKept() throws {
        let threads = try merged { one, two in
            one.tester.threads = (0..<6).map { ThreadCPU(name: "a\($0)", cpu: Double($0) / 10) }
            two.tester.threads = (0..<6).map { ThreadCPU(name: "b\($0)", cpu: Double($0) / 10 + 0.05) }
        }.tester.threads
        #expect(threads.map(\.name) == ["b5", "a5", "b4", "a4", "b3", "a3", "b2", "a2"])
    }

    @Test func reasonsAreThoseOfBoth() throws {
        let sample = try merged { one, two in
            one.saturated = [.receiveBufferDrops]
            two.saturated = [.loopLag, .receiveBufferDrops]
        }
        #expect(sample.saturated == [.loopLag, .receiveBufferDrops])
    }

    @Test func ofTheServerTheBusierReadingCounts() throws {
        let both = try merged { one, two in
            one.server = ServerHealth(cpuProcess: 0.4, residentBytes: 10)
            two.server = ServerHealth(cpuProcess: 0.6, residentBytes: 5)
        }
        #expect(both.server == ServerHealth(cpuProcess: 0.6, residentBytes: 5))
        let single = try merged { one, _ in one.server = ServerHealth(cpuProcess: 0.1) }
        #expect(single.server == ServerHealth(cpuProcess: 0.1) && single.tester.heapBytes == nil)
    }

    @Test func participantsOfASecondAddUp() throws {
        let counts = try merged { one, two in
            (one.participants.joined, two.participants.joined) = (4, 5)
            (one.participants.joining, two.participants.reconnecting) = (1, 2)
            (one.participants.joins, two.participants.joins) = (2, 3)
            (one.participants.failures, two.participants.losses, two.participants.leaves) = (1, 1, 6)
        }.participants
        #expect((counts.joined, counts.joining, counts.reconnecting) == (9, 1, 2))
        #expect((counts.joins, counts.failures, counts.losses, counts.leaves) == (5, 1, 1, 6))
    }

    @Test func timesOfASecondAddUp() throws {
        let sample = try merged { one, two in
            one.latency = HandMade.times([100, 200], digits: 2)
            two.latency = HandMade.times([100], digits: 2)
            two.join = HandMade.times([5_000], digits: 2)
        }
        #expect(sample.latency?.buckets.map(\.count) == [2, 1] && sample.join?.count == 1)
        #expect(sample.roundTripTime == nil)
        #expect(throws: MergeError.self) {
            try merged { one, two in
                one.latency = HandMade.times([100], digits: 2)
                two.latency = HandMade.times([100], digits: 3)
            }
        }
    }
}
