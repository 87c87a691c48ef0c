import Testing

@testable import RTCCore

/// RFC 9260 section 7.2, in bytes of packets of 1,000.
@Suite struct CongestionWindowTests {
    private var window = CongestionWindow(mtu: 1000, peerWindow: 100_000)

    private mutating func acknowledge(_ bytes: Int, flight: Int? = nil, tsn: Int64 = 1, advanced: Bool = true) {
        window.acknowledged(bytes: bytes, flight: flight ?? window.window, cumulative: tsn, hasAdvanced: advanced)
    }

    /// Section 7.2.1: min(4 MTU, max(2 MTU, 4404)).
    @Test(arguments: [(500, 2000), (1000, 4000), (1136, 4404), (1280, 4404), (2500, 5000)])
    func theFirstWindow(mtu: Int, expected: Int) {
        #expect(CongestionWindow(mtu: mtu, peerWindow: 1 << 20).window == expected)
    }

    @Test func theThresholdBeginsAtThePeersWindow() {
        #expect(window.threshold == 100_000)
        #expect(CongestionWindow(mtu: 1000, peerWindow: 0).threshold == 4000)
    }

    @Test mutating func slowStartGrowsByWhatIsAcknowledged() {
        acknowledge(700)
        #expect(window.window == 4700)
        // A packet at most for each SACK.
        acknowledge(5000)
        #expect(window.window == 5700)
    }

    /// A window that isn't used isn't shown to be too small.
    @Test mutating func anUnusedWindowStays() {
        acknowledge(1000, flight: 2999)
        #expect(window.window == 4000)
        acknowledge(1000, flight: 3000)
        #expect(window.window == 5000)
    }

    @Test mutating func aSackThatDoesNotAdvanceGrowsNothing() {
        acknowledge(1000, advanced: false)
        #expect(window.window == 4000)
    }

    /// Section 7.2.2: one packet for each window of acknowledged bytes.
    @Test mutating func avoidanceGrowsByAPacketAWindow() {
        window = CongestionWindow(mtu: 1000, peerWindow: 0)
        acknowledge(1000)
        #expect(window.window == 5000 && window.threshold == 4000)
        for _ in 0..<4 { acknowledge(1000) }
        #expect(window.window == 5000)
        acknowledge(1000)
        #expect(window.window == 6000)
        // What was over is kept: 6,000 more bytes for the next one.
        acknowledge(5999)
        #expect(window.window == 6000)
        acknowledge(1)
        #expect(window.window == 7000)
    }

    @Test mutating func anEmptyPathForgetsThePart() {
        window = CongestionWindow(mtu: 1000, peerWindow: 0)
        acknowledge(1000)
        for _ in 0..<4 { acknowledge(1000) }
        window.drained()
        acknowledge(1000)
        #expect(window.window == 5000)
    }

    /// Section 7.2.4, rule 2, and the end of fast recovery.
    @Test mutating func aLossHalvesOnce() {
        for _ in 0..<16 { acknowledge(1000) }
        #expect(window.window == 20_000)
        window.lost(highestTSN: 40)
        #expect(window.window == 10_000 && window.threshold == 10_000 && window.isInRecovery)
        window.lost(highestTSN: 45)
        #expect(window.window == 10_000 && window.recoveryExit == 40)
        acknowledge(1000, tsn: 39)
        #expect(window.isInRecovery && window.window == 10_000)
        acknowledge(1000, tsn: 40)
        #expect(!window.isInRecovery && window.window == 10_000)
        window.lost(highestTSN: 60)
        #expect(window.window == 5000)
    }

    @Test mutating func aLossLeavesFourPackets() {
        window.lost(highestTSN: 3)
        #expect(window.window == 4000 && window.threshold == 4000)
    }

    /// Section 7.2.3: one packet, and slow start up to half of what was.
    @Test mutating func aTimeoutLeavesOnePacket() {
        for _ in 0..<16 { acknowledge(1000) }
        window.lost(highestTSN: 9)
        window.timedOut()
        #expect(window.window == 1000 && window.threshold == 5000 && !window.isInRecovery)
        for _ in 0..<4 { acknowledge(1000) }
        #expect(window.window == 5000)
        acknowledge(1000)
        acknowledge(1000)
        #expect(window.window == 6000)
    }
}
