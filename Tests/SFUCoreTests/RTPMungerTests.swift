import RTCWire
import Testing

@testable import SFUCore

/// The row of numbers that one consumer gets.
@Suite struct RTPMungerTests {
    private static let first = LayerID(slot: SlotID(index: 0, generation: 1))
    private static let second = LayerID(slot: SlotID(index: 1, generation: 1))

    private func started(at source: Int64 = 1000, out: UInt16 = 10) -> RTPMunger {
        var munger = RTPMunger(firstSequence: out)
        munger.begin(Self.first, at: source, offsets: Numbering(source: 0, out: 0, timestampOffset: 0))
        return munger
    }

    @Test func aRowBeginsBelowHalfOfTheNumbers() {
        var munger = RTPMunger(firstSequence: 0xffff)
        #expect(!munger.hasStarted && munger.age(of: 0) == .max && munger.original(of: 0) == nil)
        munger.begin(Self.first, at: 5, offsets: Numbering(source: 0, out: 0, timestampOffset: 7))
        let place = munger.place(5, timestamp: .max)
        #expect(place?.sequence == 0x7fff && munger.lastTimestamp == 6 && munger.layer == Self.first)
    }

    @Test func lossAndLateComersKeepTheirDistance() {
        var munger = started()
        #expect([1000, 1003, 1001].map { munger.place($0, timestamp: 0)?.sequence } == [10, 13, 11])
        #expect(munger.place(999, timestamp: 0) == nil, "older than the beginning")
        #expect(munger.highest == 13 && munger.age(of: 11) == 2 && munger.isNewest(1004) && !munger.isNewest(1002))
        #expect(munger.isJump(1003 + 3001) && !munger.isJump(1003 + 3000))
    }

    @Test func holesAreCountedUntilTheyAreFilled() {
        var munger = started()
        for source in [1000, 1004, 1002] as [Int64] { _ = munger.place(source, timestamp: 0) }
        #expect(munger.holes == 2)
        // Left out behind a hole, and another source.
        #expect(munger.skip(1007) && munger.holes == 4)
        munger.begin(Self.second, at: 70, offsets: Numbering(source: 0, out: 0, timestampOffset: 0))
        _ = munger.place(70, timestamp: 0)
        #expect(munger.holes == 4)
    }

    @Test func whatIsLeftOutLeavesNoHole() {
        var munger = started()
        _ = munger.place(1000, timestamp: 0)
        let skipped = [munger.skip(1001, pictures: 1), munger.skip(1002, pictures: 0)]
        #expect(skipped == [true, true])
        let place = munger.place(1003, timestamp: 0)
        #expect(place?.sequence == 11 && place?.numbering.pictureIDOffset == UInt16(bitPattern: -1))
        let late = [munger.skip(1003), munger.skip(900)]
        #expect(late == [false, false], "too late: those after it have their numbers")
        // A late comer from before is numbered as it would have been then.
        #expect(munger.place(1000, timestamp: 0)?.sequence == 10)
        #expect(munger.original(of: 11)?.source == 1003 && munger.original(of: 10)?.source == 1000)
    }

    @Test func anotherSourceGoesOnBehindTheLast() {
        var munger = started()
        _ = munger.place(1000, timestamp: 100)
        _ = munger.place(1001, timestamp: 200)
        munger.begin(Self.second, at: 7, offsets: Numbering(source: 0, out: 0, timestampOffset: 50))
        #expect(munger.place(7, timestamp: 300)?.sequence == 12 && munger.lastTimestamp == 350)
        #expect(munger.place(6, timestamp: 0) == nil, "late, and of before the change")
        #expect(munger.original(of: 11)?.layer == Self.first && munger.original(of: 12)?.layer == Self.second)
        #expect(munger.layer == Self.second)
    }

    @Test func packetsOfOurOwnHaveNoOriginal() {
        var munger = started()
        _ = munger.place(1000, timestamp: 100)
        let own = munger.insert(timestampStep: 960)
        #expect(own.sequence == 11 && own.timestamp == 1060)
        #expect(munger.original(of: 11) == nil && munger.original(of: 10)?.source == 1000)
        #expect(munger.layer == Self.first, "the latest source, packets of our own aside")
        munger.begin(Self.first, at: 1001, offsets: Numbering(source: 0, out: 0, timestampOffset: 0))
        #expect(munger.place(1001, timestamp: 0)?.sequence == 12)
    }

    /// As many stretches as are remembered, and more; numbers wrap meanwhile.
    @Test func onlyTheLatestStretchesAreRemembered() {
        var munger = started(at: 0, out: 0x7fff)
        var sent: [Int64] = []
        for source in stride(from: Int64(0), to: 80_000, by: 2) {
            _ = munger.place(source, timestamp: 0)
            sent.append(source)
            let isSkipped = munger.skip(source + 1)
            #expect(isSkipped)
        }
        #expect(munger.highest == 0x7fff + 39_999)
        for age in 0..<120 {
            let number = UInt16(truncatingIfNeeded: munger.highest - Int64(age))
            #expect(munger.original(of: number)?.source == sent[sent.count - 1 - age])
        }
        #expect(munger.original(of: UInt16(truncatingIfNeeded: munger.highest - 200)) == nil)
        #expect(munger.original(of: UInt16(truncatingIfNeeded: munger.highest + 1)) == nil, "never given out")
    }
}
