import RTCWire
import Testing

@testable import SFUCore

@Suite struct RepetitionAllowanceTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
    private let full = (stands: true, drops: true)

    /// Bytes of packets of 1,000 that may be repeated in a second of asking every 10 ms.
    private func repeated(_ allowance: inout RepetitionAllowance, from start: Int) -> Int {
        (0..<100).reduce(0) { sum, step in sum + (allowance.take(1_000, now: at(start + 10 * step)) ? 1_000 : 0) }
    }

    @Test func withoutALimitAllIsRepeated() {
        var allowance = RepetitionAllowance()
        #expect(repeated(&allowance, from: 0) == 100_000)
        allowance.set(limit: 80_000, sent: 0, cost: 0, queue: full, now: at(1_000))
        allowance.set(limit: nil, sent: 0, cost: 0, queue: full, now: at(1_000))
        #expect(repeated(&allowance, from: 1_000) == 100_000)
    }

    /// More is sent than the limit, and there is nothing smaller: neither a queue alone nor losses alone say that a queue is full, for
    /// bursts and jitter make both.
    @Test func oneSignIsNotEnough() {
        for queue in [(stands: false, drops: false), (true, false), (false, true)] {
            var allowance = RepetitionAllowance()
            allowance.set(limit: 80_000, sent: 90_000, cost: 90_000, queue: queue, now: at(0))
            #expect(repeated(&allowance, from: 0) == 100_000)
        }
    }

    /// Pictures take 160 of 200 kbit/s: 5,000 bytes a second are left, and 0.15 s of the limit in one go.
    @Test func whatPicturesLeaveIsForRepetitions() {
        var allowance = RepetitionAllowance()
        allowance.set(limit: 200_000, sent: 160_000, cost: 160_000, queue: full, now: at(0))
        #expect((3_750...10_000).contains(repeated(&allowance, from: 0)))
        #expect((4_000...6_000).contains(repeated(&allowance, from: 1_000)))
        // Time in which nothing is asked for adds up to no more than 0.15 s.
        #expect((8_000...10_000).contains(repeated(&allowance, from: 60_000)))
    }

    /// More is sent than the way bears: an eighth of it is left all the same.
    @Test func alwaysALittleIsRepeated() {
        var allowance = RepetitionAllowance()
        allowance.set(limit: 200_000, sent: 900_000, cost: 900_000, queue: full, now: at(0))
        _ = repeated(&allowance, from: 0)
        #expect((2_000...4_000).contains(repeated(&allowance, from: 1_000)))
    }

    /// Something smaller was chosen: for five seconds the queue is thought to be full of the larger.
    @Test func afterALayerHasGoneLittleIsRepeated() {
        var allowance = RepetitionAllowance()
        let queue = (stands: true, drops: false)
        allowance.set(limit: 300_000, sent: 450_000, cost: 450_000, queue: queue, now: at(0))
        #expect(repeated(&allowance, from: 0) == 100_000)
        allowance.set(limit: 150_000, sent: 450_000, cost: 160_000, queue: queue, now: at(1_000))
        #expect(repeated(&allowance, from: 1_000) < 10_000)
        allowance.set(limit: 150_000, sent: 160_000, cost: 160_000, queue: queue, now: at(5_900))
        #expect(repeated(&allowance, from: 5_900) < 10_000)
        allowance.set(limit: 150_000, sent: 160_000, cost: 160_000, queue: queue, now: at(6_900))
        #expect(repeated(&allowance, from: 6_900) == 100_000)
    }

    /// What is sent fits: what is asked for beyond that has its place, whatever is known of a queue.
    @Test func besideWhatFitsRepetitionsGetTheRest() {
        var allowance = RepetitionAllowance()
        allowance.set(limit: 200_000, sent: 160_000, cost: 160_000, queue: (false, false), now: at(0))
        _ = repeated(&allowance, from: 0)
        #expect((4_000...6_000).contains(repeated(&allowance, from: 1_000)))
    }

    /// A limit that falls takes away what was left of the old one; one that is told again gives nothing new.
    @Test func aLowerLimitCountsAtOnce() {
        var allowance = RepetitionAllowance()
        allowance.set(limit: 2_000_000, sent: 0, cost: 0, queue: full, now: at(0))
        allowance.set(limit: 40_000, sent: 40_000, cost: 0, queue: full, now: at(0))
        let taken = [0, 1].map { allowance.take(1_000, now: at($0)) }
        #expect(taken == [true, false])
        for _ in 0..<100 { allowance.set(limit: 40_000, sent: 40_000, cost: 0, queue: full, now: at(2)) }
        // A clock that goes back gives nothing either.
        let more = [3, 0].map { allowance.take(1_000, now: at($0)) }
        #expect(more == [false, false])
    }
}
