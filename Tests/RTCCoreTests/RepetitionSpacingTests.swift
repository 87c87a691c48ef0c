import RTCWire
import Testing

@testable import RTCCore

@Suite struct RepetitionSpacingTests {
    /// When packets leave that are asked for at `times`, in milliseconds.
    private func answered(_ times: some Sequence<Int>, _ spacing: RepetitionSpacing) -> [Int] {
        var mark = RepetitionMark()
        return times.filter { time in
            let now = Instant.zero + .milliseconds(time)
            guard mark.allows(spacing, now: now) else { return false }
            mark.note(spacing, now: now)
            return true
        }
    }

    @Test func aWayWithoutAQueueIsAnsweredTwice() {
        let spacing = RepetitionSpacing(roundTrip: .milliseconds(100), isQueued: false)
        #expect(answered([1_000, 1_033, 1_100, 1_200], spacing) == [1_000, 1_033, 1_100, 1_200])
        // Two of one burst, then whatever comes.
        #expect(answered(1_000..<1_100, spacing) == [1_000, 1_015, 1_075, 1_090])
    }

    @Test func aQueueOrAShortWayOnce() {
        for spacing in [
            RepetitionSpacing(roundTrip: .milliseconds(100), isQueued: true),
            RepetitionSpacing(roundTrip: .milliseconds(100), isQueued: false).once,
        ] {
            #expect(answered([1_000, 1_033, 1_074, 1_075, 1_100], spacing) == [1_000, 1_075])
        }
        let short = RepetitionSpacing(roundTrip: .milliseconds(36), isQueued: false)
        #expect(answered([1_000, 1_012, 1_026, 1_027], short) == [1_000, 1_027])
    }

    @Test func boundsOfBoth() {
        #expect(RepetitionSpacing(roundTrip: .zero, isQueued: false).full == .milliseconds(5))
        let long = RepetitionSpacing(roundTrip: .seconds(2), isQueued: false)
        #expect(long.full == .milliseconds(250))
        #expect(answered([1_000, 1_099, 1_100, 1_249, 1_250], long) == [1_000, 1_100, 1_250])
    }

    /// Marks hold 32 bits of milliseconds: 49.7 days.
    @Test func aMarkThatComesRound() {
        let spacing = RepetitionSpacing(roundTrip: .milliseconds(100), isQueued: true)
        let round = 1 << 32
        #expect(answered([round - 10, round + 30, round + 80], spacing) == [round - 10, round + 80])
        #expect(MemoryLayout<RepetitionMark>.stride == 8)
    }
}
