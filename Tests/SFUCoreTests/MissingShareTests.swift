import RTCWire
import Testing

@testable import SFUCore

@Suite struct MissingShareTests {
    private var share = MissingShare()

    @Test mutating func twoWindowsHaveToSayIt() {
        #expect(share.take(sent: 0) == 0)
        share.note(Array(1...40), of: 7)
        // The first alone might be one burst.
        #expect(share.take(sent: 100) == 0)
        share.note(Array(101...150), of: 7)
        #expect(share.take(sent: 200) == 0.5)
        #expect(share.take(sent: 300) == 0)
    }

    @Test mutating func whatIsAskedForAgainCountsOnce() {
        #expect(share.take(sent: 0) == 0)
        for _ in 0..<3 { share.note([65_534, 65_535, 0, 1], of: 7) }
        share.note([1], of: 8)
        #expect(share.take(sent: 10) == 0)
        share.note([2, 1, 0, 3, 4], of: 7)
        #expect(share.take(sent: 20) == 0.5)
        share.note([3, 4], of: 7)
        #expect(share.take(sent: 30) == 0)
    }

    @Test mutating func fewPacketsSayNothing() {
        #expect(share.take(sent: 0) == 0)
        for sent in [5, 10] {
            share.note([UInt16(sent), UInt16(sent + 1)], of: 7)
            #expect(share.take(sent: sent) == 0)
        }
    }

    /// A client that asks for what it was never sent says no more than that all is missing.
    @Test mutating func moreThanWasSentIsAll() {
        #expect(share.take(sent: 100) == 0)
        for sent in [120, 140] {
            share.note(Array(UInt16(sent * 100)..<UInt16(sent * 100 + 90)), of: 7)
            let now = share.take(sent: sent)
            #expect(now == (sent == 120 ? 0 : 1))
        }
    }

    /// After minutes without a loss a number may be half the way round from the last one that was missing.
    @Test mutating func numbersComeRound() {
        #expect(share.take(sent: 0) == 0)
        share.note([1], of: 7)
        for sent in [100, 200, 40_000] { #expect(share.take(sent: sent) == 0) }
        share.note(Array(40_000..<40_050), of: 7)
        #expect(share.take(sent: 40_100) == 0)
        share.note(Array(40_100..<40_150), of: 7)
        #expect(share.take(sent: 40_200) == 0.5)
    }

    @Test func theWayBearsWhatIsLeft() {
        var capacity = ChannelCapacity()
        capacity.note(missing: 0, sent: 800_000, now: .zero + .seconds(5))
        #expect(capacity.limit == nil)
        capacity.note(missing: 0.5, sent: 800_000, now: .zero + .seconds(5))
        #expect(capacity.limit == 400_000 && capacity.isOverrun(sent: 800_000))
        // An estimate that hasn't heard of it raises nothing, nor do the same losses count twice.
        capacity.note(estimate: 900_000, sent: 300_000, now: .zero + .milliseconds(5_400))
        capacity.note(missing: 0.5, sent: 800_000, now: .zero + .milliseconds(5_400))
        #expect(capacity.limit == 400_000)
        // What is missing after the cut says that it was too little.
        capacity.note(missing: 0.5, sent: 800_000, now: .zero + .milliseconds(5_500))
        #expect(capacity.limit == 200_000)
        capacity.note(estimate: 400_000, sent: 300_000, now: .zero + .milliseconds(6_600))
        #expect(capacity.limit == 400_000)
        // As it was before the way got narrow.
        capacity.note(estimate: 900_000, sent: 300_000, now: .zero + .milliseconds(6_700))
        #expect(capacity.limit == 480_000)
    }
}
