import ServiceDeskCore
import Testing

@Suite struct LimitTests {
    @Test(
        arguments: [
            (0, 5_000), (60_000, 5_000), (60_001, 15_000), (300_000, 15_000), (300_001, 60_000), (3_600_000, 60_000),
            (3_600_001, 180_000), (259_200_000, 180_000), (259_200_001, nil), (.max, nil), (-5, 5_000),
        ] as [(Int64, Int64?)]) func theLadder(quiet: Int64, interval: Int64?)
    {
        #expect(PollingLadder.interval(quiet: quiet) == interval)
    }

    /// One token of one user: refused at 299 s, taken at 300 s and 301 s.
    @Test(arguments: [(299_000, false), (299_999, false), (300_000, true), (301_000, true)] as [(Int64, Bool)])
    func aPushTokenOfOneUser(after: Int64, isTaken: Bool) throws {
        var limiter = PushTokenLimiter()
        try limiter.begin(now: 1_000)
        limiter.succeeded(now: 1_000)
        #expect(limiter.wait(now: 1_000 + after) == max(0, 300_000 - after))
        do throws(DeskError) {
            try limiter.begin(now: 1_000 + after)
            #expect(isTaken)
        } catch {
            #expect(!isTaken && error.code == .tooOften && error.retryAfter == 300_000 - after)
        }
    }

    /// Five attempts in five minutes, whoever they are for and whatever becomes of them.
    @Test func pushTokensInTotal() throws {
        var limiter = PushTokenLimiter()
        for second in 0..<5 {
            try limiter.begin(now: Int64(second) * 1_000)
            if second % 2 == 0 { limiter.succeeded(now: Int64(second) * 1_000) }
            limiter.userChanged()
        }
        #expect(throws: DeskError.self) { try limiter.begin(now: 5_000) }
        #expect(throws: DeskError.self) { try limiter.begin(now: 299_999) }
        try limiter.begin(now: 300_000)
        #expect(throws: DeskError.self) { try limiter.begin(now: 300_999) }
        try limiter.begin(now: 301_000)
    }

    /// A failure leaves the user free to try again; a new chat too.
    @Test func aFailedAttemptDoesNotBeginTheUsersTime() throws {
        var limiter = PushTokenLimiter()
        try limiter.begin(now: 0)
        try limiter.begin(now: 1)
        limiter.succeeded(now: 1)
        #expect(throws: DeskError.self) { try limiter.begin(now: 2) }
        limiter.userChanged()
        try limiter.begin(now: 3)
    }

    @Test func aWindowSlides() {
        var window = SlidingWindow(limit: 3, period: 100)
        #expect([0, 50, 60].allSatisfy { window.take(now: $0) })
        #expect(!window.take(now: 99) && window.wait(now: 99) == 1)
        let isTaken = window.take(now: 100)
        #expect(isTaken)
        #expect(!window.take(now: 149) && window.take(now: 150))
        #expect(!window.isIdle(now: 200) && window.isIdle(now: 250))
    }
}
