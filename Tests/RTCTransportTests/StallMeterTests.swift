import RTCWire
import Synchronization
import Testing

@testable import RTCTransport

struct StallMeterTests {
    private func hold(_ kind: String, _ held: Interval) -> LoopHold {
        LoopHold(source: .message, kind: kind, held: held, wall: held)
    }

    @Test func theLongestOfEachKindIsKept() {
        let meter = StallMeter()
        for milliseconds in [2, 9, 4] { meter.note(hold("a", .milliseconds(milliseconds)), at: .zero) }
        meter.note(hold("b", .milliseconds(3)), at: .zero)
        #expect(meter.holds.map(\.kind) == ["a", "b"] && meter.longest(.message)?.held == .milliseconds(9))
        #expect(meter.longest(.datagram) == nil && meter.stalls == 0)
        meter.reset()
        #expect(meter.holds.isEmpty)
    }

    @Test func aStallIsReportedOnceASecondForEachKind() {
        let reported = Mutex<[String]>([])
        let meter = StallMeter { hold in reported.withLock { $0.append(hold.kind) } }
        let long = StallMeter.limit + .milliseconds(1)
        let times: [(String, Int)] = [("a", 0), ("a", 999), ("b", 999), ("a", 1_000)]
        for (kind, time) in times { meter.note(hold(kind, long), at: .zero + .milliseconds(time)) }
        meter.note(hold("a", StallMeter.limit), at: .zero + .seconds(9))
        #expect(reported.withLock { $0 } == ["a", "b", "a"] && meter.stalls == 4)
    }

    /// Time in which a busy machine runs other threads is not the work's; time in which the work waits is.
    @Test func whatOtherThreadsTakeDoesNotCount() {
        let start = ThreadUsage(wall: .zero, processor: .zero, waits: 3)
        let preempted = ThreadUsage(wall: .zero + .seconds(1), processor: .milliseconds(4), waits: 3)
        #expect(preempted.held(since: start) == .milliseconds(4))
        let waiting = ThreadUsage(wall: .zero + .seconds(1), processor: .milliseconds(4), waits: 4)
        #expect(waiting.held(since: start) == .seconds(1))
    }

    @Test func workIsMeasured() {
        let meter = StallMeter()
        let sum = meter.measure(.timer, "work") {
            let start = MonotonicClock.processor()
            var rounds = 0
            while MonotonicClock.processor() - start < .milliseconds(3) { rounds += 1 }
            return rounds
        }
        #expect(sum > 0 && meter.longest(.timer)?.held ?? .zero >= .milliseconds(3))
    }

    @Test func aLongDatagramIsNoticed() throws {
        var timer = DatagramTimer()
        timer.begin(MonotonicClock.now())
        let start = MonotonicClock.processor()
        while MonotonicClock.processor() - start < .milliseconds(3) {}
        let next = timer.next()
        let long = try #require(next)
        #expect(long.held >= .milliseconds(3) && long.wall >= long.held)
        let end = timer.end()
        let whole = try #require(end)
        #expect(whole.wall >= long.wall)
    }
}
