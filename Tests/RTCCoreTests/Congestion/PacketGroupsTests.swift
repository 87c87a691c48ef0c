import RTCWire
import Testing

@testable import RTCCore

/// Inter-arrival groups, draft-ietf-rmcat-gcc-02 section 5.2.
@Suite struct PacketGroupsTests {
    private var groups = PacketGroups()

    private func at(_ microseconds: Int) -> Instant { .zero + .microseconds(microseconds) }

    /// In milliseconds; gives the delta of the group that ended.
    private mutating func add(_ sent: Double, _ received: Double) -> (sent: Double, received: Double)? {
        let delta = groups.add(sent: at(Int(sent * 1000)), received: at(Int(received * 1000)))
        return delta.map { ($0.sent.milliseconds, $0.received.milliseconds) }
    }

    @Test mutating func twoGroupsMustEnd() throws {
        #expect(add(0, 50) == nil && add(10, 60) == nil)
        // The third one's beginning ends the second.
        let delta = try #require(add(20, 70))
        #expect(delta == (10, 10))
    }

    @Test mutating func whatIsSentTogetherIsOneGroup() throws {
        for sent in [0.0, 2, 4, 5] { #expect(add(sent, 50 + 3 * sent) == nil) }
        #expect(add(20, 80) == nil)
        // The first group reaches from its first to its last packet.
        let delta = try #require(add(40, 100))
        #expect(delta == (15, 15))
    }

    /// Sent apart and arriving at once: they waited behind each other.
    @Test mutating func aBurstIsOneGroup() throws {
        for index in 0..<5 { #expect(add(Double(10 * index), 100 + Double(index)) == nil) }
        #expect(add(80, 150) == nil)
        let delta = try #require(add(120, 190))
        #expect(delta == (40, 46))
    }

    @Test mutating func aBurstHasAnEnd() {
        // Each arrives 4 ms after the last: after 100 ms another group begins.
        var ended = 0
        for index in 0..<80 where add(Double(10 * index), 4 * Double(index)) != nil { ended += 1 }
        #expect(ended == 2)
    }

    @Test mutating func aGrowingQueueShowsInTheDelta() throws {
        #expect(add(0, 0) == nil && add(20, 22) == nil)
        let first = try #require(add(40, 45))
        let second = try #require(add(60, 69))
        #expect(first == (20, 22) && second == (20, 23))
    }

    @Test mutating func whatIsOutOfOrderSaysNothing() throws {
        _ = add(0, 50)
        _ = add(20, 70)
        #expect(add(10, 71) == nil)
        let delta = try #require(add(40, 90))
        #expect(delta == (20, 20))
    }

    @Test mutating func aClockThatJumpsSaysNothing() {
        _ = add(0, 5000)
        _ = add(20, 4000)
        #expect(add(40, 4020) == nil)
        _ = add(60, 9000)
        #expect(add(80, 9020) == nil)
    }

    @Test mutating func theMomentIsThatOfTheLatestArrival() {
        _ = groups.add(sent: at(0), received: at(50_000))
        _ = groups.add(sent: at(20_000), received: at(70_000))
        _ = groups.add(sent: at(22_000), received: at(76_000))
        #expect(groups.add(sent: at(60_000), received: at(100_000))?.arrival == at(76_000))
    }
}

/// The trendline filter and its adaptive threshold, draft-ietf-rmcat-gcc-02 sections 5.3 and 5.4.
@Suite struct TrendDetectorTests {
    private var detector = TrendDetector()
    private var now = Instant.zero

    /// So many groups, 20 ms apart as sent, whose delay changes by `slope` ms each.
    private mutating func feed(_ count: Int, slope: Double) {
        for _ in 0..<count {
            let received = Interval.seconds((20 + slope) / 1000)
            now += received
            detector.update(.init(sent: .milliseconds(20), received: received, arrival: now))
        }
    }

    @Test mutating func aSteadyPathIsNormal() {
        feed(200, slope: 0)
        #expect(detector.usage == .normal)
    }

    @Test(arguments: [1.0, 3, 10]) mutating func aGrowingQueueIsSeen(_ slope: Double) {
        feed(60, slope: 0)
        #expect(detector.usage == .normal)
        feed(40, slope: slope)
        #expect(detector.usage == .over)
    }

    @Test mutating func aDrainingQueueIsSeen() {
        feed(60, slope: 0)
        feed(40, slope: -5)
        #expect(detector.usage == .under)
        feed(60, slope: 0)
        #expect(detector.usage == .normal)
    }

    /// Too few groups say nothing, however late they come.
    @Test mutating func aWindowMustBeFull() {
        feed(19, slope: 10)
        #expect(detector.usage == .normal)
        feed(20, slope: 10)
        #expect(detector.usage == .over)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) mutating func jitterIsNoQueue(_ seed: UInt64) {
        var random = CryptoTestRandom(seed)
        var late = 0.0
        var over = 0
        for _ in 0..<500 {
            let jitter = Double(random.next() % 4000) / 1000
            feed(1, slope: jitter - late)
            late = jitter
            if detector.usage == .over { over += 1 }
        }
        #expect(over <= 5, "\(over)")
    }

    /// Beside a flow that fills queues the threshold rises, so that this one isn't starved.
    @Test mutating func theThresholdFollowsWhatIsSeen() {
        feed(60, slope: 0)
        var fresh = self
        fresh.feed(40, slope: 0.9)
        #expect(fresh.detector.usage == .over)
        feed(200, slope: 1)
        feed(40, slope: 0.9)
        #expect(detector.usage == .normal)
    }
}
