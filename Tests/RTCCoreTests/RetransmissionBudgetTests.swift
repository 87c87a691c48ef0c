import RTCWire
import Testing

@testable import RTCCore

@Suite struct RetransmissionBudgetTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// However often it is asked for, no more is repeated than was sent.
    @Test func neverMoreThanWasSent() {
        var budget = RetransmissionBudget()
        var (sent, repeated) = (0, 0)
        for step in 0..<3000 {
            budget.note(sent: 1000, now: at(step * 10))
            sent += 1000
            for _ in 0..<20 where budget.take(1000, now: at(step * 10)) { repeated += 1000 }
        }
        #expect(repeated <= sent + RetransmissionBudget.start)
        #expect(repeated >= sent * 9 / 10)
    }

    /// A path that loses half of everything is still repaired.
    @Test func halfOfEverythingMayBeLost() {
        var budget = RetransmissionBudget()
        var refused = 0
        for step in 0..<3000 {
            budget.note(sent: 1200, now: at(step * 5))
            // Every other packet, and of those every other twice.
            guard step % 2 == 1 else { continue }
            for _ in 0..<(step % 4 == 1 ? 2 : 1) where !budget.take(1200, now: at(step * 5)) { refused += 1 }
        }
        #expect(refused == 0)
    }

    /// Of 40,000 bytes 21 packets leave less than half.
    @Test func plentyIsHalfOfWhatThereMayBe() {
        var budget = RetransmissionBudget()
        let isAmpleAtOnce = budget.isAmple(now: at(0))
        budget.note(sent: 40_000, now: at(0))
        var taken = 0
        while budget.isAmple(now: at(20)), budget.take(1_000, now: at(20)) { taken += 1 }
        #expect(!isAmpleAtOnce && taken == 21)
    }

    /// What was saved up in minutes isn't spent at once: at most what two seconds brought.
    @Test func whatIsSavedUpIsBounded() {
        var budget = RetransmissionBudget()
        for step in 0..<6000 { budget.note(sent: 1000, now: at(step * 10)) }
        var burst = 0
        while budget.take(1000, now: at(60_000)) { burst += 1000 }
        #expect((100_000...200_000).contains(burst))
    }

    /// A still picture sends a packet every few seconds; a lost one is repeated all the same.
    @Test func seldomPacketsMayBeRepeated() {
        var budget = RetransmissionBudget()
        for step in 0..<20 {
            budget.note(sent: 900, now: at(step * 5000))
            let isTaken = budget.take(900, now: at(step * 5000 + 2500))
            #expect(isTaken)
        }
        // And what was sent long ago counts up to the floor alone.
        for step in 0..<100 { budget.note(sent: 1000, now: at(100_000 + step)) }
        var burst = 0
        while budget.take(1000, now: at(200_000)) { burst += 1000 }
        #expect(burst == RetransmissionBudget.floor)
    }
}
