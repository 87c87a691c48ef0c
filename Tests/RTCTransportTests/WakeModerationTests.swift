import RTCWire
import Testing

@testable import RTCTransport

/// When a loop looks at its sockets again.
@Suite struct WakeModerationTests {
    private var moderation = WakeModeration(.milliseconds(2))
    private let start = Instant.zero + .seconds(5)

    private mutating func wake(at milliseconds: Double, for sockets: Int = 1) {
        moderation.woke(at: start + .seconds(milliseconds / 1000), for: sockets)
    }

    /// When the loop may look again, in milliseconds.
    private var next: Double { (moderation.restsUntil - start).milliseconds }

    @Test mutating func whatComesAlongTheWayIsReadAtOnce() {
        #expect(moderation.restsUntil < .zero && !moderation.isOff)
        wake(at: 0)
        #expect(next == 0)
        wake(at: 5)
        #expect(next == 5)
    }

    @Test mutating func whatFollowsSoonWaitsForMore() {
        wake(at: 0)
        wake(at: 0.5)
        #expect(next == 2.5)
    }

    /// Busy for as long as each look finds several sockets.
    @Test mutating func itStaysWhileMuchComes() {
        wake(at: 0)
        wake(at: 0.5)
        for look in 1...5 {
            wake(at: 0.5 + 2.1 * Double(look), for: 2)
            #expect(next > 2.5 + 2 * Double(look))
        }
        wake(at: 20, for: 1)
        #expect(next == 20)
    }

    /// Timers, and what other threads bring, are no datagrams.
    @Test mutating func aWakeUpForNoSocketChangesNothing() {
        wake(at: 0)
        wake(at: 1, for: 0)
        #expect(next == 0)
    }

    @Test func zeroIsOff() { #expect(WakeModeration(.zero).isOff) }
}
