import MediaCore
import Testing

@testable import CallBridge

@Suite struct SessionTimerTests {
    private func time(_ seconds: Double) -> MediaTime { MediaTime.zero.advanced(seconds: seconds) }

    /// It goes off at the earliest time that it was set to; a later one is set again when it has.
    @Test func theEarliestDeadlineCounts() async {
        let manual = ManualClock(now: .zero)
        let (firings, firing) = AsyncStream.makeStream(of: Int.self)
        var fired = firings.makeAsyncIterator()
        var timer = SessionTimer(clock: manual.clock)
        timer.set(time(5)) { firing.yield(5) }
        timer.set(time(2)) { firing.yield(2) }
        timer.set(time(9)) { firing.yield(9) }
        while manual.nextDeadline != time(2) { await Task.yield() }
        manual.advance(to: time(2))
        #expect(await fired.next() == 2)
        timer.fired()
        timer.set(time(9)) { firing.yield(9) }
        while manual.nextDeadline != time(9) { await Task.yield() }
        manual.advance(to: time(9))
        #expect(await fired.next() == 9, "the replaced one at 5 s never went off")
    }

    @Test func withoutADeadlineNothingIsWaitedFor() async {
        let manual = ManualClock(now: .zero)
        var timer = SessionTimer(clock: manual.clock)
        timer.set(time(5)) {}
        while manual.nextDeadline == nil { await Task.yield() }
        timer.set(nil) {}
        while manual.nextDeadline != nil { await Task.yield() }
    }
}
