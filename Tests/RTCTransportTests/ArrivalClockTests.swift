import RTCWire
import Testing

@testable import RTCTransport

/// The kernel's wall-clock stamps on the monotonic time line.
@Suite struct ArrivalClockTests {
    private static let second: Int64 = 1_000_000_000
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
    private func wall(_ milliseconds: Int) -> Int64 { 1_700_000_000 * Self.second + Int64(milliseconds) * 1_000_000 }

    private func clock() -> ArrivalClock {
        var clock = ArrivalClock(now: at(1000), realNow: wall(0))
        clock.set(now: at(1100), realNow: wall(100))
        return clock
    }

    @Test func ageCounts() {
        let clock = clock()
        #expect(clock.arrival(realTime: wall(70)) == at(1070))
        #expect(clock.arrival(realTime: wall(100)) == at(1100))
        #expect(clock.arrival(realTime: nil) == at(1100))
    }

    /// A wall clock that is set, or hostile nonsense, moves an arrival within the time since the last reading at most.
    @Test(arguments: [3_600_000, -3_600_000, 40, 900])
    func aStepOfTheWallClockStaysBounded(step: Int) {
        var clock = clock()
        clock.drained(at: at(1050))
        clock.set(now: at(1200), realNow: wall(200 + step))
        for stamp in [110, 150, 190] {
            let arrival = clock.arrival(realTime: wall(stamp))
            #expect(arrival >= at(1050) && arrival <= at(1200))
        }
        // The next reading knows nothing of the step.
        clock.drained(at: at(1200))
        clock.set(now: at(1300), realNow: wall(300 + step))
        #expect(clock.arrival(realTime: wall(260 + step)) == at(1260))
    }

    @Test func nothingComesBeforeTheSocketWasEmpty() {
        var clock = clock()
        clock.drained(at: at(1090))
        #expect(clock.arrival(realTime: wall(10)) == at(1090))
        #expect(clock.arrival(realTime: .min) == at(1100))
        #expect(clock.arrival(realTime: .max) == at(1100))
        // The monotonic clock never goes back.
        clock.set(now: at(500), realNow: wall(100))
        #expect(clock.now == at(1100))
    }

    @Test func brokenControlMessagesAreNoTrap() {
        for length in 0..<64 {
            for fill: UInt8 in [0, 1, 0x11, 0x23, 0xff] {
                let bytes = [UInt8](repeating: fill, count: length)
                bytes.withUnsafeBytes { _ = ControlMessages.Received($0) }
            }
        }
    }
}
