import RTCWire
import Testing

@testable import RTCTransport

@Suite struct RelayRevivalTests {
    private static let start = Instant.zero + .seconds(100)

    @Test func whatNeverStoodIsNotMadeAnew() {
        var revival = RelayRevival()
        #expect(!revival.lost(now: Self.start) && revival.due == nil)
    }

    @Test func itBeginsAtOnceAndPausesDouble() {
        var revival = RelayRevival()
        revival.allocated(now: Self.start)
        var now = Self.start + .seconds(60)
        var pauses: [Interval] = []
        while revival.lost(now: now), let due = revival.due {
            pauses.append(due - now)
            now = due
            revival.begin()
            #expect(revival.due == nil)
        }
        #expect(pauses == [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    }

    /// A server that gives allocations and takes them away again is not asked for ever.
    @Test func whatDoesNotLastHasItsEnd() {
        var revival = RelayRevival()
        for attempt in 0..<5 {
            revival.allocated(now: Self.start)
            let isTried = revival.lost(now: Self.start + .seconds(1))
            #expect(isTried, "\(attempt)")
        }
        revival.allocated(now: Self.start)
        let isTried = revival.lost(now: Self.start + .seconds(1))
        #expect(!isTried)
        // One that has lasted counts afresh.
        revival.allocated(now: Self.start)
        let later = Self.start + .seconds(40)
        #expect(revival.lost(now: later) && revival.due == later)
    }
}
