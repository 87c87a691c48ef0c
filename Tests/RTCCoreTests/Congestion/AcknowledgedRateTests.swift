import RTCWire
import Testing

@testable import RTCCore

@Suite struct AcknowledgedRateTests {
    private var rate = AcknowledgedRate()
    private var now = Instant.at(5000)

    /// Packets of 1,000 bytes, so many milliseconds apart.
    private mutating func feed(_ count: Int, every milliseconds: Int) {
        for _ in 0..<count {
            rate.add(1000, received: now)
            now += .milliseconds(milliseconds)
        }
    }

    @Test mutating func theFirstWindowMustFill() {
        feed(50, every: 10)
        #expect(rate.bitrate == nil)
        feed(1, every: 10)
        #expect(rate.bitrate == 800_000)
    }

    @Test mutating func aSteadyFlowIsItsRate() throws {
        feed(500, every: 10)
        let bitrate = try #require(rate.bitrate)
        #expect((780_000...820_000).contains(bitrate))
    }

    /// Where a full queue says so a fall is believed at once; what isn't half as much is left to the filter.
    @Test mutating func aCollapseIsBelievedAtOnce() throws {
        feed(500, every: 5)
        rate.collapse()
        let before = try #require(rate.bitrate)
        #expect((1_550_000...1_650_000).contains(before), "\(before)")
        feed(15, every: 30)
        let slow = try #require(rate.bitrate)
        #expect(slow > 1_000_000)
        rate.collapse()
        let known = try #require(rate.bitrate)
        #expect((240_000...290_000).contains(known), "\(known)")
    }

    @Test mutating func aChangeIsFollowedWithinSomeSeconds() throws {
        feed(200, every: 10)
        feed(400, every: 5)
        let faster = try #require(rate.bitrate)
        #expect((1_500_000...1_650_000).contains(faster), "\(faster)")
        feed(200, every: 20)
        let slower = try #require(rate.bitrate)
        #expect((380_000...520_000).contains(slower), "\(slower)")
    }

    /// One strange window moves the belief little.
    @Test mutating func oneBurstIsNotBelieved() throws {
        feed(500, every: 10)
        let before = try #require(rate.bitrate)
        feed(60, every: 1)
        feed(20, every: 10)
        let after = try #require(rate.bitrate)
        #expect(after < 1.35 * before, "\(after)")
    }

    /// Silence is no capacity.
    @Test mutating func aPauseIsNotCounted() throws {
        feed(200, every: 10)
        now += .seconds(20)
        feed(30, every: 10)
        let bitrate = try #require(rate.bitrate)
        #expect((750_000...850_000).contains(bitrate))
    }

    /// A clock that goes backwards begins a window anew.
    @Test mutating func timeThatRunsBackIsNoRate() throws {
        feed(200, every: 10)
        now = .at(1000)
        feed(40, every: 10)
        let bitrate = try #require(rate.bitrate)
        #expect((700_000...850_000).contains(bitrate))
    }
}

/// A queue that stands: full, and neither growing nor draining.
@Suite struct StandingQueueTests {
    private var queue = StandingQueue()
    private var now = Instant.at(1000)
    private var cuts: [Double] = []

    private mutating func feed(_ seconds: Double, delay: Int) {
        let end = now + .seconds(seconds)
        while now < end {
            now += .milliseconds(100)
            if queue.update(.milliseconds(delay), now: now) { cuts.append((now - .at(1000)).seconds) }
        }
    }

    @Test mutating func aSteadyDelayIsNoQueue() {
        feed(60, delay: 500)
        #expect(cuts.isEmpty)
    }

    @Test mutating func aHundredMillisecondsAreForgiven() {
        feed(5, delay: 20)
        feed(10, delay: 120)
        #expect(cuts.isEmpty)
    }

    /// After a second of it, and again each two seconds.
    /// A queue that is high and drops most of what comes is full: there is nothing to wait for.
    @Test mutating func aFullQueueIsCutAtOnce() {
        var cuts: [Int] = []
        for feedback in 0..<40 {
            let delay = Interval.milliseconds(feedback < 10 ? 20 : 220)
            let now = Instant.zero + .milliseconds(50) * feedback
            if queue.update(delay, isDropping: feedback >= 12, now: now) { cuts.append(feedback) }
        }
        #expect(cuts == [12, 16, 20, 24, 28, 32, 36])
        // Losses without a queue say nothing.
        let later = Instant.zero + .seconds(10)
        let isCut = queue.update(.milliseconds(60), isDropping: true, now: later)
        #expect(!isCut)
    }

    @Test mutating func aStandingQueueIsCut() {
        feed(5, delay: 20)
        feed(6, delay: 150)
        #expect(cuts.map { Int($0.rounded()) } == [6, 8, 10])
    }

    @Test mutating func aShortOneIsForgiven() {
        feed(5, delay: 20)
        for _ in 0..<10 {
            feed(0.9, delay: 300)
            feed(0.5, delay: 20)
        }
        #expect(cuts.isEmpty)
    }

    /// What has stood for half a minute is the path, or others' queue.
    @Test mutating func anOldBaseIsForgotten() {
        feed(5, delay: 20)
        feed(60, delay: 150)
        let last = cuts.last ?? 0
        #expect((20.0...36).contains(last), "\(last)")
    }

    /// Delays lie on two clocks: only differences count.
    @Test mutating func theOriginIsNothing() {
        feed(5, delay: -90_000)
        #expect(cuts.isEmpty)
        feed(3, delay: -89_800)
        #expect(cuts.count == 1)
    }
}
