import RTCWire
import Testing

@testable import MediaCore

/// A path that gets narrow at once, and ones that don't.
@Suite struct RateFallTests {
    private var fall = RateFall()

    /// What was noticed of rates in kbit/s, so many seconds apart.
    private mutating func note(_ rates: [Int], every seconds: Double) -> [Bool] {
        rates.enumerated().map { fall.note($1 * 1_000, now: .zero + .seconds(100 + seconds * Double($0))) }
    }

    @Test mutating func halfWithinTwoSecondsIsAFall() {
        #expect(note([300, 2_000, 1_200, 1_001, 999, 400], every: 0.3) == [false, false, false, false, true, true])
    }

    @Test mutating func aLongQuietTimeBeforeIsRemembered() {
        #expect(note([2_000, 700], every: 30) == [false, true])
    }

    @Test mutating func aSlowDeclineIsNone() {
        #expect(note([2_000, 1_700, 1_400, 1_100, 800, 600, 450, 300], every: 2.5).allSatisfy { !$0 })
    }

    @Test mutating func oneThatWasMetDoesNotCountAgain() {
        _ = note([2_000, 900], every: 0.2)
        fall.restart()
        #expect(note([850, 800], every: 0.2) == [false, false])
        #expect(note([400], every: 0.2) == [true])
    }
}

@Suite struct PictureBudgetTests {
    /// Pictures sent of 300, thirty a second, each of `bytes`.
    private func sent(bytes: Int, rate: Int, own: Int = 600_000, key: Int? = nil) -> Int {
        var budget = PictureBudget()
        var sent = 0
        for number in 0..<300 {
            let now = Instant.zero + .seconds(Double(number) / 30)
            guard !budget.skips(rate: rate, own: own, now: now) else { continue }
            budget.note(bytes: number == 150 ? key ?? bytes : bytes)
            sent += 1
        }
        return sent
    }

    @Test func anEncoderThatKeepsItsRateLosesNothing() {
        #expect(sent(bytes: 1_250, rate: 300_000) == 300)
        #expect(sent(bytes: 1_200, rate: 300_000, key: 7_500) == 300)
    }

    /// Twice the rate allowed: half of the pictures and a twentieth of these more, and what may be owed.
    @Test func onThatCannotSendsFewer() {
        #expect((158...170).contains(sent(bytes: 2_500, rate: 300_000)))
        #expect((82...98).contains(sent(bytes: 5_000, rate: 300_000)))
    }

    @Test func withoutALimitNothingIsLeftOut() {
        #expect(sent(bytes: 5_000, rate: 600_000) == 300)
    }
}
