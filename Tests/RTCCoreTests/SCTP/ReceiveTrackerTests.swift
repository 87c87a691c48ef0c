import RTCWire
import Testing

@testable import RTCCore

/// What SACKs say and when they are due, RFC 9260 section 6.2 and RFC 3758 section 3.6.
@Suite struct ReceiveTrackerTests {
    private var tracker: ReceiveTracker

    init() { tracker = ReceiveTracker(initialTSN: 100, configuration: SCTPConfiguration()) }

    private mutating func take(_ tsns: Int64...) {
        for tsn in tsns where tracker.judge(tsn) == .new { tracker.note(tsn, isImmediate: false) }
    }

    private mutating func sack(room: Int = 1000) -> SackChunk { tracker.acknowledge(window: 5000, room: room) }

    @Test mutating func nothingHasCome() {
        #expect(tracker.cumulative == 99 && !tracker.isAcknowledgementDue && !tracker.isAcknowledgementPending)
        #expect(sack() == SackChunk(cumulativeTSN: 99, receiverWindow: 5000))
    }

    @Test mutating func whatComesInOrderMovesTheCumulativeTSN() {
        take(100, 101, 102)
        #expect(tracker.cumulative == 102 && tracker.ranges.isEmpty && sack().cumulativeTSN == 102)
    }

    @Test mutating func gapsAreToldAsDistances() {
        take(100, 102, 103, 106)
        #expect(tracker.cumulative == 100 && tracker.ranges == [102...103, 106...106])
        #expect(sack().gapBlocks == [.init(start: 2, end: 3), .init(start: 6, end: 6)])
    }

    @Test mutating func aFilledGapJoinsWhatStandsBesideIt() {
        take(102, 104, 103)
        #expect(tracker.ranges == [102...104])
        take(101)
        #expect(tracker.ranges == [101...104])
        take(100)
        #expect(tracker.cumulative == 104 && tracker.ranges.isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) mutating func anyOrderEndsInOneNumber(_ seed: UInt64) {
        var random = CryptoTestRandom(seed)
        var come = Set<Int64>()
        for tsn in (Int64(100)...199).shuffled(using: &random) {
            #expect(tracker.judge(tsn) == .new)
            tracker.note(tsn, isImmediate: false)
            come.insert(tsn)
            #expect(tracker.judge(tsn) == .duplicate)
            let told = tracker.ranges.reduce(into: Set<Int64>()) { $0.formUnion($1) }
            #expect(told == come.filter { $0 > tracker.cumulative })
            #expect(zip(tracker.ranges, tracker.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
        }
        #expect(tracker.cumulative == 199 && tracker.ranges.isEmpty)
    }

    @Test mutating func duplicatesAreToldOnceAndBounded() {
        take(100, 102)
        #expect(tracker.judge(100) == .duplicate && tracker.judge(102) == .duplicate && tracker.judge(50) == .duplicate)
        for _ in 0..<40 { tracker.noteDuplicate(102) }
        let first = sack()
        #expect(first.duplicates == [UInt32](repeating: 102, count: 16))
        #expect(sack().duplicates.isEmpty)
    }

    @Test mutating func aDuplicateIsAnsweredAtOnce() {
        take(100)
        _ = sack()
        tracker.noteDuplicate(100)
        #expect(tracker.isAcknowledgementDue)
    }

    // MARK: Bounds

    /// What lies further ahead than may be held is as if it had been lost.
    @Test mutating func whatIsTooFarAheadIsRefused() {
        let limit = Int64(SCTPConfiguration().maximumFragments)
        #expect(tracker.judge(99 + limit) == .new && tracker.judge(100 + limit) == .refused)
        #expect(tracker.judge(tracker.unwrap(99 &+ 0x7fff_ffff)) == .refused)
    }

    /// A gap block can't say more than 65,535.
    @Test mutating func aDistanceFitsItsField() {
        var configuration = SCTPConfiguration()
        configuration.maximumFragments = 1 << 20
        tracker = ReceiveTracker(initialTSN: 100, configuration: configuration)
        #expect(tracker.judge(99 + 65_535) == .new && tracker.judge(99 + 65_536) == .refused)
        take(99 + 65_535)
        #expect(sack().gapBlocks == [.init(start: 65_535, end: 65_535)])
    }

    @Test mutating func gapsAreBoundedButMayGrowTogether() {
        var configuration = SCTPConfiguration()
        configuration.maximumGaps = 3
        tracker = ReceiveTracker(initialTSN: 100, configuration: configuration)
        take(102, 104, 106)
        #expect(tracker.judge(108) == .refused && tracker.judge(107) == .new && tracker.judge(103) == .new)
        #expect(tracker.judge(100) == .new)
        take(103)
        #expect(tracker.ranges == [102...104, 106...106] && tracker.judge(108) == .new)
    }

    @Test mutating func aSackFitsItsRoom() {
        for tsn in stride(from: Int64(101), to: 201, by: 2) { take(tsn) }
        for _ in 0..<5 { tracker.noteDuplicate(101) }
        let small = sack(room: SackChunk.fixedLength + 12)
        #expect(small.gapBlocks.count == 3 && small.duplicates.isEmpty)
        #expect(small.gapBlocks.first == .init(start: 2, end: 2))
        for _ in 0..<5 { tracker.noteDuplicate(101) }
        let larger = sack(room: SackChunk.fixedLength + 4 * 52)
        #expect(larger.gapBlocks.count == 50 && larger.duplicates.count == 2)
        #expect(sack(room: 0).gapBlocks.isEmpty)
    }

    // MARK: When

    @Test mutating func theFirstPacketIsAnsweredAtOnce() {
        take(100)
        tracker.packetEnded(withData: true)
        #expect(tracker.isAcknowledgementDue)
    }

    @Test mutating func thenEverySecondOne() {
        take(100)
        tracker.packetEnded(withData: true)
        _ = sack()
        take(101)
        tracker.packetEnded(withData: true)
        #expect(!tracker.isAcknowledgementDue && tracker.isAcknowledgementPending)
        tracker.packetEnded(withData: false)
        #expect(!tracker.isAcknowledgementDue)
        take(102)
        tracker.packetEnded(withData: true)
        #expect(tracker.isAcknowledgementDue)
        _ = sack()
        #expect(!tracker.isAcknowledgementPending)
    }

    @Test mutating func gapsAreToldAtOnceUntilTheyAreFilled() {
        take(100)
        _ = sack()
        take(102)
        #expect(tracker.isAcknowledgementDue)
        _ = sack()
        take(103)
        #expect(tracker.isAcknowledgementDue)
        _ = sack()
        take(101)
        #expect(!tracker.isAcknowledgementDue && tracker.cumulative == 103)
    }

    /// The I bit, RFC 7053.
    @Test mutating func theSenderMayAskForAnAnswer() {
        take(100)
        _ = sack()
        tracker.note(101, isImmediate: true)
        #expect(tracker.isAcknowledgementDue)
    }

    // MARK: Skipping

    @Test mutating func skippingMovesOverGaps() {
        take(103, 104, 107)
        tracker.skip(to: 101)
        #expect(tracker.cumulative == 101 && tracker.ranges == [103...104, 107...107])
        tracker.skip(to: 102)
        #expect(tracker.cumulative == 104 && tracker.ranges == [107...107])
        tracker.skip(to: 50)
        #expect(tracker.cumulative == 104)
        tracker.skip(to: 110)
        #expect(tracker.cumulative == 110 && tracker.ranges.isEmpty)
    }

    /// Skipping into the middle of what has come takes all of it.
    @Test mutating func skippingIntoARange() {
        take(103, 104, 105)
        tracker.skip(to: 104)
        #expect(tracker.cumulative == 105 && tracker.ranges.isEmpty)
    }

    // MARK: Wrapping

    @Test mutating func tsnsWrap() {
        tracker = ReceiveTracker(initialTSN: 0xffff_fffe, configuration: SCTPConfiguration())
        for wire: UInt32 in [0xffff_fffe, 0, 1] { tracker.note(tracker.unwrap(wire), isImmediate: false) }
        #expect(
            sack()
                == SackChunk(
                    cumulativeTSN: 0xffff_fffe, receiverWindow: 5000, gapBlocks: [.init(start: 2, end: 3)]))
        tracker.note(tracker.unwrap(0xffff_ffff), isImmediate: false)
        #expect(sack().cumulativeTSN == 1 && tracker.judge(tracker.unwrap(0xffff_ffff)) == .duplicate)
    }

    /// An initial TSN of 0 has nothing before it but the last number of the circle.
    @Test mutating func anInitialTSNOfZero() {
        tracker = ReceiveTracker(initialTSN: 0, configuration: SCTPConfiguration())
        #expect(sack().cumulativeTSN == .max && tracker.judge(tracker.unwrap(0)) == .new)
        #expect(tracker.judge(tracker.unwrap(.max)) == .duplicate)
    }
}
