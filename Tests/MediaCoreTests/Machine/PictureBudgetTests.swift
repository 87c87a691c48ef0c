import RTCWire
import Testing

@testable import MediaCore

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
