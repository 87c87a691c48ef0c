import Testing

@testable import RTCCore

/// Serial number arithmetic, RFC 1982 as RFC 9260 section 1.6 uses it.
@Suite struct SerialNumberTests {
    @Test func aNumberStandsNearItsReference() {
        #expect(Int64(unwrapping: UInt32(5), near: 0) == 5)
        #expect(Int64(unwrapping: UInt32.max, near: 0) == -1)
        #expect(Int64(unwrapping: UInt32(0), near: 0xffff_ffff) == 0x1_0000_0000)
        #expect(Int64(unwrapping: UInt32(3), near: 0x7_ffff_fffe) == 0x8_0000_0003)
        #expect(Int64(unwrapping: UInt32(0xffff_fff0), near: 0x8_0000_0003) == 0x7_ffff_fff0)
    }

    @Test func halfACircleIsTheBorder() {
        #expect(Int64(unwrapping: UInt32(0x7fff_ffff), near: 0) == 0x7fff_ffff)
        #expect(Int64(unwrapping: UInt32(0x8000_0000), near: 0) == -0x8000_0000)
        #expect(Int64(unwrapping: UInt16(0x7fff), near: 0) == 0x7fff)
        #expect(Int64(unwrapping: UInt16(0x8000), near: 0) == -0x8000)
    }

    @Test func streamSequencesWrapAt16Bits() {
        #expect(Int64(unwrapping: UInt16(0), near: 65_535) == 65_536)
        #expect(Int64(unwrapping: UInt16(65_535), near: 65_536) == 65_535)
        #expect(Int64(unwrapping: UInt16(2), near: 131_071) == 131_074)
    }

    @Test func theWireHasTheLowBits() {
        #expect((-1 as Int64).serial32 == .max && (-1 as Int64).serial16 == .max)
        #expect((0x1_0000_0007 as Int64).serial32 == 7 && (0x1_0007 as Int64).serial16 == 7)
    }

    /// Nothing that a peer writes may trap, wherever the count stands.
    @Test(arguments: [Int64.min, -1, 0, Int64.max]) func noReferenceTraps(_ reference: Int64) {
        for wire: UInt32 in [0, 1, 0x7fff_ffff, 0x8000_0000, .max] {
            #expect(Int64(unwrapping: wire, near: reference).serial32 == wire)
        }
        for wire: UInt16 in [0, 1, 0x7fff, 0x8000, .max] {
            #expect(Int64(unwrapping: wire, near: reference).serial16 == wire)
        }
    }
}
