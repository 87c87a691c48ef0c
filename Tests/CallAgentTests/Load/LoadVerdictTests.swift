import LoadCore
import LoadResults
import Testing

@testable import callagent

/// What a load test is judged to be, from what it recorded.
@Suite struct LoadVerdictTests {
    private static let header = RunHeader(
        toolVersion: "0", arguments: [], timestamp: 0,
        machine: .init(hostname: "h", kernel: "k", cpuModel: "m", cpuCount: 2, memoryBytes: 1))

    private func record(
        _ ending: LoadRecord.Ending = .planned, _ change: (inout LoadRecord) -> Void = { _ in }
    ) -> LoadRecord {
        var record = LoadRecord(Self.header, keepsTimelines: true)
        change(&record)
        record.end(ending, at: 10)
        record.finish(LoadMeters())
        return record
    }

    private func account(_ change: (inout LoadAccount) -> Void) -> LoadAccount {
        var plan =
            LoadPlan(LoadSettings()).participants.first ?? PlannedParticipant(number: 0, identity: "s", room: "r")
        plan.subscribes = true
        var account = LoadAccount(plan, startSecond: 0)
        account.result.joinMs = 5
        change(&account)
        account.finish(second: 10)
        return account
    }

    private func second(_ number: Int, _ change: (inout TesterHealth) -> Void = { _ in }) -> SecondSample {
        var sample = SecondSample(second: number)
        change(&sample.tester)
        sample.saturated = SaturationLimits().reasons(in: sample.tester)
        return sample
    }

    @Test func aWholeRunIsOk() {
        let record = record { $0.add(second(0)) }
        #expect(record.results.verdicts.ok)
        #expect(record.results.state == .complete)
        #expect(LoadCommand.status(of: record) == .success)
    }

    @Test func aTesterThatWasTheBottleneckSaysSoFirst() {
        let record = record { record in
            for number in 0..<10 {
                record.add(second(number) { if [2, 5, 6, 7].contains(number) { $0.loopLagMs = 80 } })
            }
        }
        #expect(record.results.verdicts.saturation == Saturation(seconds: [2, 5, 6, 7], reasons: [.loopLag]))
        #expect(LoadCommand.status(of: record) == .saturated)
        let first = LoadText.report(record).split(separator: "\n").first ?? ""
        #expect(first.hasPrefix("the tester was the bottleneck in 4 of 10 seconds (2, 5-7): "))
    }

    @Test func whatIsMissingIsNamed() throws {
        let record = record { record in
            record.add(
                account { account in
                    var totals = LoadTotals()
                    (totals.video.expected, totals.video.received, totals.video.packets) = (100, 97, 194)
                    account.take(totals)
                    _ = account.sample(second: 0, seconds: 1, nil)
                })
        }
        #expect(record.results.verdicts.failures.contains("s in r lacks 3 of 100 pictures"))
        #expect(LoadCommand.status(of: record) == .lost)
        let video = try #require(record.results.participants.first).video.inbound
        #expect((video.packetsExpected, video.packetsReceived, video.packetsLost) == (200, 194, 6))
    }

    @Test func aSampleMayStandForSeveralSeconds() {
        let result = account { account in
            var totals = LoadTotals()
            totals.pictures = 2
            _ = account.sample(second: 0, seconds: 1, totals)
            totals.audio.expected = 5
            _ = account.sample(second: 3, seconds: 3, totals)
            account.finish(second: 4)
        }.result
        #expect(result.video.inbound.totalDuration == 8)
        #expect(result.timeline?.packetsExpected == [0, 0, 0, 5])
    }

    @Test func whoGotNothingIsNamedOnlyWhereSomebodyPublished() {
        #expect(record { $0.add(account { _ in }) }.results.verdicts.failures.isEmpty)
        let failures = record { record in
            record.add(account { _ in })
            record.add(account { $0.result.role = .publisher })
        }.results.verdicts.failures
        #expect(failures == ["s in r received nothing"])
    }

    @Test func manyOfOneKindAreNotAllNamed() {
        let failures = record { record in
            for _ in 0..<20 {
                record.add(account { ($0.result.endReason, $0.result.failure) = (.joinFailed, "refused") })
            }
        }.results.verdicts.failures
        #expect(failures.count == 7)
        #expect(failures.last == "and 15 more like that")
    }

    @Test func whatIsLeftOverIsNamed() {
        func growth(_ cycles: [(Int64, Int)]) -> String? {
            LoadVerdict.growth(cycles.map { CycleRemainder(heapBytes: $0.0 << 20, openFiles: $0.1) })
        }
        #expect(growth([(10, 20), (30, 20)]) == nil)
        #expect(growth([(10, 20), (30, 20), (30, 20)]) == nil)
        #expect(growth([(10, 20), (30, 20), (31, 20)]) == "the heap grew by 1024 KiB in the last cycle")
        #expect(growth([(10, 20), (30, 20), (30, 22)]) == "2 files more than a cycle before are open at the end")
    }

    @Test func whatEndsARunIsKept() {
        for (ending, status) in [
            (LoadRecord.Ending.interrupted("SIGINT"), ExitStatus.lost), (.serverLost("the server was lost"), .lost),
        ] {
            let record = record(ending) { $0.add(account { $0.result.endReason = .interrupted }) }
            #expect(record.results.state == .interrupted)
            #expect(record.results.interruption == ending.words)
            #expect(LoadCommand.status(of: record) == status)
        }
    }

    @Test func aMachineThatGivesNoMoreIsTheEnvironment() {
        let record = record(.shortage("no more")) {
            $0.add(account { ($0.result.endReason, $0.shortage) = (.joinFailed, "no more") })
        }
        #expect(LoadCommand.status(of: record) == .environment)
        #expect(record.results.verdicts.failures.count { $0.contains("no more") } == 1)
        // One that is only found out at the end is said, too.
        let late = self.record {
            $0.add(account { ($0.result.endReason, $0.shortage) = (.joinFailed, "no more ports") })
        }
        #expect(
            LoadCommand.status(of: late) == .environment && late.results.verdicts.failures.contains("no more ports"))
    }
}

/// When a server counts as gone.
@Suite struct ServerWatchTests {
    private func counts(
        joining: Int = 0, joined: Int = 0, reconnecting: Int = 0, losses: Int = 0, failures: Int = 0
    ) -> ParticipantCounts {
        var counts = ParticipantCounts()
        (counts.joining, counts.joined, counts.reconnecting) = (joining, joined, reconnecting)
        (counts.losses, counts.failures) = (losses, failures)
        return counts
    }

    @Test func aServerThatComesBackIsNotLost() {
        var watch = ServerWatch()
        for second in 0..<10 { watch.note(counts(joined: 5), at: Double(second)) }
        for second in 10..<14 { watch.note(counts(joined: 5, reconnecting: 5), at: Double(second)) }
        for second in 14..<30 { watch.note(counts(joined: 5), at: Double(second)) }
        #expect(watch.reason == nil)
    }

    @Test func aServerThatStaysAwayIs() {
        var watch = ServerWatch()
        watch.note(counts(joined: 5), at: 9)
        for second in 10..<14 { watch.note(counts(joined: 5, reconnecting: 5), at: Double(second)) }
        #expect(watch.reason == nil)
        watch.note(counts(losses: 5), at: 14)
        #expect(watch.reason == "the server was lost: since second 10 nobody is connected")
    }

    @Test func oneThatIsLostBetweenTwoLooksIs() {
        var watch = ServerWatch(planned: 4)
        for second in 1..<6 {
            watch.note(counts(joined: 1, reconnecting: 1, failures: second == 1 ? 3 : 0), at: Double(second))
        }
        #expect(watch.reason == "the server was lost: since second 1 nobody is connected")
    }

    @Test func aServerThatNobodyReachesIs() {
        var watch = ServerWatch(planned: 4)
        watch.note(counts(failures: 3), at: 0)
        for second in 1..<20 { watch.note(counts(), at: Double(second)) }
        #expect(watch.reason == nil, "one is still to come")
        watch.note(counts(failures: 1), at: 20)
        #expect(watch.reason == "nobody could join: 4 tried")
    }

    @Test func someThatAreRefusedAmongOthersAreNone() {
        var watch = ServerWatch(planned: 100)
        watch.note(counts(failures: 20), at: 0)
        watch.note(counts(joining: 1), at: 1)
        for second in 2..<7 { watch.note(counts(joining: 1), at: Double(second)) }
        #expect(watch.reason == nil, "one is on its way in")
        for second in 7..<20 { watch.note(counts(joined: 1, failures: 5), at: Double(second)) }
        #expect(watch.reason == nil)
    }

    @Test func aStormOfOursIsNone() {
        var watch = ServerWatch()
        watch.note(counts(joined: 5), at: 9)
        watch.expectLoss(at: 10)
        for second in 10..<25 { watch.note(counts(joined: 5, reconnecting: 5), at: Double(second)) }
        #expect(watch.reason == nil)
    }

    @Test func nobodyThereAtTheBeginningOrBetweenCyclesIsNone() {
        var watch = ServerWatch()
        for second in 0..<20 { watch.note(counts(), at: Double(second)) }
        watch.note(counts(joined: 3), at: 20)
        for second in 21..<40 { watch.note(counts(), at: Double(second)) }
        #expect(watch.reason == nil)
    }
}
