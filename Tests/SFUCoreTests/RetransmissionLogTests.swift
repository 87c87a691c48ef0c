import RTCCore
import RTCWire
import Testing

@testable import SFUCore

@Suite struct RetransmissionLogTests {
    /// When a packet leaves that is asked for at `times`, in milliseconds.
    private func answered(_ times: some Sequence<Int>, _ roundTrip: Interval, isQueued: Bool = false) -> [Int] {
        var log = RetransmissionLog()
        let spacing = RepetitionSpacing(roundTrip: roundTrip, isQueued: isQueued)
        return times.filter { log.take(7, now: .zero + .milliseconds($0), spacing: spacing) }
    }

    @Test func aWayWithoutAQueueIsAnsweredThreeTimes() {
        #expect(answered([1_000, 1_033, 1_100, 1_200], .milliseconds(100)) == [1_000, 1_033, 1_100, 1_200])
        #expect(answered([1_000, 1_017, 1_050, 1_100], .milliseconds(100)) == [1_000, 1_017, 1_050, 1_100])
        // Three, then whatever comes.
        #expect(answered(1_000..<1_100, .milliseconds(100)) == [1_000, 1_015, 1_030, 1_075, 1_090])
    }

    @Test func aQueueOrAShortWayOnce() {
        #expect(answered([1_000, 1_033, 1_074, 1_075, 1_100], .milliseconds(100), isQueued: true) == [1_000, 1_075])
        #expect(answered([1_000, 1_012, 1_026, 1_027], .milliseconds(36)) == [1_000, 1_027])
    }

    @Test func boundsOfBoth() {
        #expect(answered([1_000, 1_004, 1_005], .zero) == [1_000, 1_005])
        #expect(answered([1_000, 1_099, 1_100, 1_199, 1_250], .seconds(2)) == [1_000, 1_100, 1_250])
    }

    /// It holds 32 bits of milliseconds: 49.7 days.
    @Test func aTimeThatComesRound() {
        let round = 1 << 32
        let asked = [round - 10, round + 30, round + 80]
        #expect(answered(asked, .milliseconds(100), isQueued: true) == [round - 10, round + 80])
    }
}
