import RTCWire
import Testing

@testable import RTCCore

/// The rate controller's states, draft-ietf-rmcat-gcc-02 section 5.5.
@Suite struct RateControlTests {
    private var rate = RateControl(start: 1_000_000, bounds: 100_000...5_000_000)
    private var now = Instant.at(1000)

    private mutating func step(
        _ usage: PathUsage, acknowledged: Double? = nil, after milliseconds: Int = 100, trip: Int = 50
    ) {
        now += .milliseconds(milliseconds)
        rate.update(usage, acknowledged: acknowledged, roundTrip: .milliseconds(trip), now: now)
    }

    @Test func theBeginningIsWithinItsBounds() {
        #expect(RateControl(start: 1, bounds: 10...20).bitrate == 10)
        #expect(RateControl(start: 99, bounds: 10...20).bitrate == 20)
        #expect(!rate.hasDecreased && rate.bitrate == 1_000_000)
    }

    /// 8 % a second while the capacity is unknown.
    @Test mutating func aQuietPathGrowsByItsShare() {
        step(.normal)
        for _ in 0..<10 { step(.normal) }
        #expect((1_070_000...1_090_000).contains(rate.bitrate))
    }

    /// However seldom feedback comes, a second's growth is the most.
    @Test mutating func aLongSilenceGrowsNoMoreThanASecond() {
        step(.normal)
        step(.normal, after: 60_000)
        #expect(rate.bitrate == 1_080_000)
    }

    @Test mutating func growthEndsAboveWhatArrives() {
        step(.over, acknowledged: 1_000_000)
        for _ in 0..<200 { step(.normal, acknowledged: 400_000, after: 10) }
        // 1.5 times what arrives and a little: it was above already, and stays.
        let before = rate.bitrate
        #expect(before < 900_000)
        for _ in 0..<300 { step(.normal, acknowledged: 400_000, after: 10) }
        #expect(rate.bitrate <= max(before, 1.5 * 400_000 + 10_000))
    }

    /// What arrives has been shown to pass.
    @Test mutating func untilALimitShowsTheRateIsWhatArrives() {
        step(.normal, acknowledged: 3_000_000)
        #expect(rate.bitrate == 3_000_000)
        step(.over, acknowledged: 3_000_000)
        let cut = rate.bitrate
        step(.normal, acknowledged: 3_000_000)
        #expect(rate.bitrate < cut + 100_000)
    }

    /// 0.85 of what arrives, and a little less.
    @Test mutating func aQueueCutsTheRate() {
        step(.over, acknowledged: 800_000)
        #expect(rate.bitrate == 0.85 * 800_000 - 5000 && rate.hasDecreased)
    }

    @Test mutating func lowRatesLoseATenthMoreAtMost() {
        rate = RateControl(start: 150_000, bounds: 10_000...5_000_000)
        step(.over, acknowledged: 40_000)
        #expect(rate.bitrate == 0.85 * 40_000 * 0.9)
    }

    @Test mutating func beforeAnythingArrivesItIsHalved() {
        step(.over)
        #expect(rate.bitrate == 500_000)
        for _ in 0..<10 { step(.over, after: 500) }
        #expect(rate.bitrate == 100_000)
    }

    /// One cut a round trip; what halves the rate is a reason for another.
    @Test mutating func cutsAreSpaced() {
        step(.over, acknowledged: 800_000, trip: 200)
        let first = rate.bitrate
        step(.over, acknowledged: 700_000, after: 199, trip: 200)
        #expect(rate.bitrate == first)
        step(.over, acknowledged: 700_000, after: 1, trip: 200)
        let second = rate.bitrate
        #expect(second < first)
        step(.over, acknowledged: 100_000, after: 10, trip: 200)
        #expect(rate.bitrate < second)
    }

    @Test mutating func aDrainingQueueHoldsTheRate() {
        step(.over, acknowledged: 800_000)
        let cut = rate.bitrate
        for _ in 0..<20 { step(.under, acknowledged: 800_000) }
        #expect(rate.bitrate == cut)
        // The hold is no time to grow for.
        step(.normal, acknowledged: 800_000)
        #expect(rate.bitrate == cut)
        step(.normal, acknowledged: 800_000)
        #expect(rate.bitrate > cut)
    }

    /// Near the capacity that showed, the rate grows by about a packet a response time.
    @Test mutating func nearTheCapacityGrowthIsAdditive() {
        step(.over, acknowledged: 1_000_000)
        let cut = rate.bitrate
        step(.normal, acknowledged: 840_000)
        for _ in 0..<10 { step(.normal, acknowledged: 840_000) }
        let grown = rate.bitrate - cut
        // 845 kbit/s are 28 kbit a frame, three packets; one of 9.4 kbit in each 150 ms.
        #expect((50_000...75_000).contains(grown), "\(grown)")
    }

    /// More arrives than the capacity that was believed: it is unknown again.
    @Test mutating func aSurpassedCapacityIsForgotten() {
        step(.over, acknowledged: 300_000)
        step(.normal, acknowledged: 300_000)
        for _ in 0..<50 { step(.normal, acknowledged: 900_000) }
        let before = rate.bitrate
        for _ in 0..<10 { step(.normal, acknowledged: 900_000) }
        #expect(rate.bitrate / before > 1.07)
    }

    @Test mutating func aProbeSetsTheRateWithinBounds() {
        rate.set(2_000_000, now: now)
        #expect(rate.bitrate == 2_000_000)
        rate.set(1, now: now)
        #expect(rate.bitrate == 100_000)
        rate.set(1e12, now: now)
        #expect(rate.bitrate == 5_000_000)
    }

    @Test mutating func theBoundHolds() {
        for _ in 0..<2000 { step(.normal, acknowledged: 4_900_000) }
        #expect(rate.bitrate == 5_000_000)
    }
}

@Suite struct CapacityMemoryTests {
    @Test func itBeginsWithWhatItSees() {
        var memory = CapacityMemory()
        #expect(memory.estimate == nil && !memory.isExceeded(by: 1e9) && !memory.isUndercut(by: 0))
        memory.note(1_000_000)
        #expect(memory.estimate == 1_000_000)
    }

    @Test func itFollowsSlowly() {
        var memory = CapacityMemory()
        memory.note(1_000_000)
        memory.note(2_000_000)
        #expect(memory.estimate == 1_050_000)
    }

    /// Three standard deviations: of 1 Mbit/s at first 60 kbit/s.
    @Test func whatStraysFarIsAnother() {
        var memory = CapacityMemory()
        memory.note(1_000_000)
        #expect(!memory.isExceeded(by: 1_059_000) && memory.isExceeded(by: 1_061_000))
        #expect(!memory.isUndercut(by: 941_000) && memory.isUndercut(by: 939_000))
        memory.forget()
        #expect(memory.estimate == nil && !memory.isExceeded(by: 1e9))
    }

    /// An unsteady capacity is believed within wider bounds, up to a limit.
    @Test func straysWidenTheBounds() {
        var memory = CapacityMemory()
        memory.note(1_000_000)
        for index in 0..<40 { memory.note(index % 2 == 0 ? 700_000 : 1_300_000) }
        let estimate = memory.estimate ?? 0
        #expect(!memory.isExceeded(by: estimate + 120_000) && memory.isExceeded(by: estimate + 180_000))
    }
}
