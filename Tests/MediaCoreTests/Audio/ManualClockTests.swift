import MediaCore
import Testing

@Suite struct ManualClockTests {
    private func time(_ seconds: Double) -> MediaTime { MediaTime.zero.advanced(seconds: seconds) }

    /// Whoever sleeps is woken when their time has come, and not before.
    @Test func sleepersWakeInTheirOrder() async throws {
        let manual = ManualClock(now: .zero)
        let (wakings, waking) = AsyncStream.makeStream(of: Int.self)
        for second in [3, 1, 2] {
            Task {
                try await manual.clock.wait(seconds: Double(second))
                waking.yield(second)
            }
        }
        var woken = wakings.makeAsyncIterator()
        for second in 1...3 {
            while manual.nextDeadline != time(Double(second)) { await Task.yield() }
            manual.advance(to: time(Double(second) - 0.5))
            #expect(manual.nextDeadline == time(Double(second)), "it is not time yet")
            manual.advance(to: time(Double(second)))
            #expect(await woken.next() == second)
        }
        #expect(manual.nextDeadline == nil)
    }

    @Test func timeNeverGoesBackAndAPastTimeIsNotWaitedFor() async throws {
        let manual = ManualClock(now: time(5))
        manual.advance(to: time(2))
        #expect(manual.clock.now == time(5))
        try await manual.clock.wait(until: time(4))
    }

    @Test func aCancelledSleeperIsForgotten() async {
        let manual = ManualClock(now: .zero)
        let sleeper = Task { try await manual.clock.wait(seconds: 1) }
        while manual.nextDeadline == nil { await Task.yield() }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(manual.nextDeadline == nil)
    }
}
