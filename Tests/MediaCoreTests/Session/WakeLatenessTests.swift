import NIOPosix
import RTCWire
import Testing

@testable import MediaCore

@Suite(.timeLimit(.minutes(10))) struct WakeLatenessTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func timersOnTimeAreNotLate() {
        let meter = WakeMeter(parent: nil)
        for tick in 0..<100 { meter.record(due: at(tick * 20), now: at(tick * 20 + 9)) }
        #expect(meter.lateness.wakes == 100)
        #expect(meter.lateness.lateWakes == 0)
        #expect(meter.lateness.lateMilliseconds == 0)
    }

    @Test func aStallThatSeveralTimersMetCountsOnce() {
        let meter = WakeMeter(parent: nil)
        meter.record(due: at(100), now: at(150))
        meter.record(due: at(110), now: at(151))
        meter.record(due: at(90), now: at(149))
        #expect(meter.lateness.lateWakes == 3)
        #expect(meter.lateness.lateMilliseconds == 51)
        #expect(meter.lateness.longestMilliseconds == 59)
    }

    @Test func separateStallsAddUp() {
        let meter = WakeMeter(parent: nil)
        meter.record(due: at(100), now: at(130), skipped: 0)
        meter.record(due: at(200), now: at(400), skipped: 9)
        #expect(meter.lateness.lateMilliseconds == 230)
        #expect(meter.lateness.skippedTicks == 9)
    }

    @Test func aParentRecordsTheSame() {
        let parent = WakeMeter(parent: nil)
        let children = [WakeMeter(parent: parent), WakeMeter(parent: parent)]
        for child in children { child.record(due: at(0), now: at(40)) }
        #expect(parent.lateness.lateWakes == 2)
        #expect(parent.lateness.lateMilliseconds == 40)
    }

    @Test func aWindowLeavesOutWhatWasBefore() {
        let meter = WakeMeter(parent: nil)
        meter.record(due: at(0), now: at(80))
        let before = meter.lateness
        meter.record(due: at(100), now: at(101))
        let window = meter.lateness.since(before)
        #expect(window.wakes == 1)
        #expect(window.lateWakes == 0)
        #expect(window.lateMilliseconds == 0)
        #expect(window.longestMilliseconds == 0)
    }

    /// A loop that is kept busy for 60 ms finds its timer overdue, and says so.
    @Test func aBlockedLoopIsSeen() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let probe = WakeProbe(on: loop)
        try await loop.submit {
            let end = MediaTime.now.nanoseconds + 60_000_000
            while MediaTime.now.nanoseconds < end {}
        }.get()
        // Tasks run in order of their deadlines: behind this one the probe's overdue tick has run.
        try await loop.scheduleTask(in: .milliseconds(11)) {}.futureResult.get()
        probe.stop()
        #expect(probe.lateness.lateWakes >= 1)
        #expect(probe.lateness.longestMilliseconds >= 40)
        try await group.shutdownGracefully()
    }
}

@Suite struct TickScheduleTests {
    private let interval = Interval.milliseconds(20)

    private func ticks(_ schedule: inout TickSchedule, at milliseconds: Int) -> [Int] {
        var taken: [Int] = []
        while let tick = schedule.take(at: .zero + .milliseconds(milliseconds)) { taken.append(tick.index) }
        return taken
    }

    @Test func ticksAreDueAtTheirTimeAndOnce() {
        var schedule = TickSchedule(origin: .zero, interval: interval, backlog: 5)
        #expect(ticks(&schedule, at: 0) == [0])
        #expect(ticks(&schedule, at: 19).isEmpty)
        #expect(ticks(&schedule, at: 20) == [1])
        #expect(schedule.deadline == .zero + .milliseconds(40))
    }

    @Test func aShortStallIsMadeUpForWhole() {
        var schedule = TickSchedule(origin: .zero, interval: interval, backlog: 5)
        #expect(schedule.skip(at: .zero + .milliseconds(105)) == 0)
        #expect(ticks(&schedule, at: 105) == [0, 1, 2, 3, 4, 5])
    }

    @Test func ofALongStallTheLatestTickIsLeft() {
        var schedule = TickSchedule(origin: .zero, interval: interval, backlog: 5)
        #expect(schedule.skip(at: .zero + .milliseconds(210)) == 10)
        #expect(ticks(&schedule, at: 210) == [10])
        #expect(schedule.deadline == .zero + .milliseconds(220))
    }

    @Test func withoutBacklogNothingIsMadeUpFor() {
        var schedule = TickSchedule(origin: .zero, interval: interval, backlog: 0)
        #expect(schedule.skip(at: .zero + .milliseconds(19)) == 0)
        #expect(schedule.skip(at: .zero + .milliseconds(45)) == 2)
        #expect(ticks(&schedule, at: 45) == [2])
    }
}
