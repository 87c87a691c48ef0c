import RTCWire
import Testing

struct SequenceNumberTests {
    @Test func newerOnTheCircle() {
        #expect((1 as UInt16).isNewer(than: 0) && (0 as UInt16).isNewer(than: 65535))
        #expect(!(5 as UInt16).isNewer(than: 5) && !(65535 as UInt16).isNewer(than: 0))
        #expect((32767 as UInt16).isNewer(than: 0) && !(32769 as UInt16).isNewer(than: 0))
        #expect((0 as UInt16).distance(after: 65530) == 6 && (65530 as UInt16).distance(after: 0) == -6)
    }

    @Test func ofTwoDifferentNumbersExactlyOneIsNewer() {
        for distance in [1, 100, 32767, 32768, 32769, 65535] as [UInt16] {
            for start in [0, 1, 32768, 65535] as [UInt16] {
                let other = start &+ distance
                #expect(start.isNewer(than: other) != other.isNewer(than: start))
            }
        }
    }

    @Test func timestampsLikewise() {
        #expect((5 as UInt32).isNewer(than: 0xffff_fff0) && !(0xffff_fff0 as UInt32).isNewer(than: 5))
        #expect((0x8000_0000 as UInt32).isNewer(than: 0) && !(0 as UInt32).isNewer(than: 0x8000_0000))
        #expect((5 as UInt32).distance(after: 0xffff_ffff) == 6)
    }

    @Test func unwrapsAcrossSeveralCycles() {
        var unwrapper = SequenceUnwrapper()
        var wire: UInt16 = 65000
        for step in 0..<300_000 {
            #expect(unwrapper.unwrap(wire) == Int64(65000 + step))
            wire &+= 1
        }
    }

    @Test func lateNumbersDoNotMoveTheHighest() {
        var unwrapper = SequenceUnwrapper()
        #expect(unwrapper.unwrap(2) == 2)
        #expect(unwrapper.unwrap(65534) == -2 && unwrapper.highest == 2)
        #expect(unwrapper.unwrap(3) == 3 && unwrapper.peek(1) == 1 && unwrapper.highest == 3)
    }

    @Test func timestampsUnwrapLikewise() {
        var unwrapper = TimestampUnwrapper()
        #expect(unwrapper.unwrap(0xffff_ff00) == 0xffff_ff00)
        #expect(unwrapper.unwrap(0x100) == 0x1_0000_0100)
        #expect(unwrapper.unwrap(0xffff_ff80) == 0xffff_ff80 && unwrapper.highest == 0x1_0000_0100)
    }
}
