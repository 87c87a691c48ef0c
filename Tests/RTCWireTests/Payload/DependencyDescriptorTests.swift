import Testing

@testable import RTCWire

/// Bytes of binary text; blanks are passed over, the last byte is filled with zeros.
private func bits(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.wholeNumberValue)
    return stride(from: 0, to: digits.count, by: 8).map { start in
        (0..<8).reduce(0 as UInt8) { $0 << 1 | UInt8(start + $1 < digits.count ? digits[start + $1] : 0) }
    }
}

@Suite struct BitReaderTests {
    @Test func bitsCrossBytes() throws {
        let bytes: [UInt8] = [0b1010_0101, 0b1100_0011]
        let span = bytes.span.bytes
        var reader = BitReader(span, at: 0)
        let parts = [try reader.bits(3, in: span), try reader.bits(7, in: span), try reader.bits(6, in: span)]
        #expect(parts == [0b101, 0b0010111, 0b000011] && reader.position == 16)
        var later = BitReader(span, at: 6)
        let flags = [try later.flag(in: span), try later.flag(in: span), try later.flag(in: span)]
        #expect(flags == [false, true, true])
    }

    @Test func theEndIsTheEnd() throws {
        let bytes: [UInt8] = [0xff]
        let span = bytes.span.bytes
        var reader = BitReader(span, at: 3)
        let five = try reader.bits(5, in: span)
        #expect(five == 0b11111)
        var failure: WireError?
        do throws(WireError) { _ = try reader.bits(1, in: span) } catch { failure = error }
        #expect(failure == .truncated)
        let none = try reader.bits(0, in: span)
        #expect(none == 0)
    }

    /// ns(n) of the AV1 specification, section 4.10.10: the smaller values have a bit less.
    @Test(arguments: [
        (1, "", 0, 0), (2, "0", 0, 1), (2, "1", 1, 1), (3, "0", 0, 1), (3, "10", 1, 2), (3, "11", 2, 2),
        (5, "00", 0, 2),
        (5, "01", 1, 2), (5, "10", 2, 2), (5, "110", 3, 3), (5, "111", 4, 3), (8, "101", 5, 3),
    ])
    func nonSymmetricNumbers(below limit: Int, text: String, expected: Int, length: Int) throws {
        let bytes = bits(text + "00000000")
        let span = bytes.span.bytes
        var reader = BitReader(span, at: 0)
        let value = try reader.number(below: limit, in: span)
        #expect(value == expected && reader.position == length)
    }
}

/// AV1 RTP specification appendix A, bit for bit: one spatial layer, two temporal ones.
@Suite struct DependencyDescriptorBitTests {
    /// Template ids from 5 on; two targets, of both layers and of the lower one; one chain; 640x360.
    private static let structure = [
        "000101", "00001", "01 11", "10 10 01 00", "1 0001 0", "1 0000 0", "10", "0010 0001",
        "1 0000001001111111 0000000101100111",
    ].joined()

    private struct Frame {
        var descriptor: DependencyDescriptor
        var structure: DependencyStructure?
    }

    private func read(
        _ head: String, _ rest: String = "", structure: DependencyStructure? = nil
    ) throws -> Frame {
        let bytes = hex(head) + bits(rest)
        var structure = structure
        let span = bytes.span.bytes
        let descriptor = try DependencyDescriptor(parsing: span, structure: &structure)
        return Frame(descriptor: descriptor, structure: structure)
    }

    private func keyFrame() throws -> Frame { try read("85 0102", "10000" + Self.structure) }

    @Test func theStructure() throws {
        let frame = try keyFrame()
        let structure = try #require(frame.structure)
        #expect(structure.templateOffset == 5 && structure.decodeTargets == 2 && structure.templates.count == 2)
        #expect(structure.templates.map(\.spatialID) == [0, 0] && structure.templates.map(\.temporalID) == [0, 1])
        #expect(
            structure.templates.map(\.references) == [[2], [1]] && structure.templates.map(\.chains) == [[2], [1]])
        #expect(structure.chainCount == 1 && structure.protectedBy == [0, 0])
        #expect(structure.sizes == [.init(width: 640, height: 360)])
        #expect(structure.targetLayers.map(\.temporal) == [1, 0] && structure.targetLayers.map(\.spatial) == [0, 0])
        let indications = structure.templates.map { [$0.indication(0), $0.indication(1)] }
        #expect(indications == [[.switchPoint, .switchPoint], [.discardable, .notPresent]])
    }

    @Test func aKeyFrame() throws {
        let frame = try keyFrame().descriptor
        #expect(frame.startsFrame && !frame.endsFrame && frame.templateID == 5 && frame.frameNumber == 0x0102)
        #expect(frame.hasStructure && frame.activeTargets == 0b11 && frame.temporalID == 0)
        #expect(frame.referenceCount == 1 && frame.references[0] == 2)
    }

    /// Three bytes say all that a template says.
    @Test func aShortDescriptorIsItsTemplate() throws {
        let structure = try keyFrame().structure
        let frame = try read("46 ffff", structure: structure).descriptor
        #expect(!frame.startsFrame && frame.endsFrame && frame.frameNumber == 0xffff && frame.temporalID == 1)
        #expect(frame.referenceCount == 1 && frame.references[0] == 1 && frame.indication(0) == .discardable)
        #expect(!frame.hasStructure && frame.activeTargets == nil)
    }

    /// Identifiers go round at 64.
    @Test func templatesAreCountedModulo64() throws {
        let structure = try read("3f 0001", "10000 111111" + String(Self.structure.dropFirst(6))).structure
        #expect(try read("00 0002", structure: structure).descriptor.temporalID == 1)
        #expect(throws: WireError.invalidValue) { try read("01 0003", structure: structure) }
    }

    @Test func activeTargetsMayChange() throws {
        let structure = try keyFrame().structure
        #expect(try read("c5 0003", "01000 10", structure: structure).descriptor.activeTargets == 0b10)
    }

    @Test func indicationsMayBeItsOwn() throws {
        let structure = try keyFrame().structure
        let frame = try read("c5 0003", "00100 11 01", structure: structure).descriptor
        #expect(frame.indication(0) == .required && frame.indication(1) == .discardable)
    }

    /// Sizes of 4, 8 and 12 bits, ended by 0.
    @Test func referencesMayBeItsOwn() throws {
        let structure = try keyFrame().structure
        let frame = try read("c5 0003", "00010 01 0111 10 00010000 11 111111111111 00", structure: structure).descriptor
        #expect(frame.referenceCount == 3)
        #expect(frame.references[0] == 8 && frame.references[1] == 17 && frame.references[2] == 4096)
    }

    @Test func moreReferencesThanAnyCodecHas() throws {
        let structure = try keyFrame().structure
        let many = String(repeating: "01 0000", count: 17) + "00"
        #expect(throws: WireError.invalidValue) { try read("c5 0003", "00010" + many, structure: structure) }
    }

    @Test(arguments: ["10000", "10000 000101 00001 01", "00100 1", "00010 11 1", "00001"])
    func truncations(_ rest: String) throws {
        let structure = try keyFrame().structure
        #expect(throws: WireError.truncated) { try read("c5 0003", rest, structure: structure) }
    }

    @Test func tooManyLayers() {
        // Nine temporal layers, and five spatial ones.
        for (step, count) in [("01", 8), ("10", 4)] {
            let rest =
                "10000 000000 00000" + String(repeating: step, count: count) + "11" + String(repeating: "0", count: 200)
            #expect(throws: WireError.invalidValue) { try read("c0 0003", rest) }
        }
    }

    // MARK: Copies for one subscriber

    private func copy(_ bytes: [UInt8], _ frame: Frame, number: UInt16, targets: UInt32?) -> [UInt8] {
        let span = bytes.span.bytes
        var memory = [UInt8](repeating: 0xaa, count: 300)
        let length = memory.withUnsafeMutableBytes {
            frame.descriptor.write(
                copyOf: span, frameNumber: number, activeTargets: targets, decodeTargets: 2, into: $0)
        }
        return Array(memory.prefix(length))
    }

    @Test func aKeyFrameSaysWhichTargetsAreLeft() throws {
        let frame = try keyFrame()
        let bytes = copy(hex("85 0102") + bits("10000" + Self.structure), frame, number: 0x0909, targets: 0b10)
        var structure: DependencyStructure?
        let span = bytes.span.bytes
        let copied = try DependencyDescriptor(parsing: span, structure: &structure)
        #expect(copied.frameNumber == 0x0909 && copied.activeTargets == 0b10 && copied.templateID == 5)
        #expect(structure == frame.structure && copied.references[0] == 2)
    }

    @Test func aShortOneGrowsWhereTargetsChange() throws {
        let frame = try read("46 ffff", structure: try keyFrame().structure)
        #expect(copy(hex("46 ffff"), frame, number: 7, targets: nil) == hex("46 0007"))
        #expect(copy(hex("46 ffff"), frame, number: 7, targets: 0b01) == hex("46 0007") + bits("01000 01"))
    }

    @Test func itsOwnReferencesStay() throws {
        let structure = try keyFrame().structure
        let text = "00010 01 0111 00"
        let frame = try read("c5 0003", text, structure: structure)
        let bytes = copy(hex("c5 0003") + bits(text), frame, number: 4, targets: 0b11)
        #expect(bytes == hex("c5 0004") + bits("01010 11 01 0111 00"))
    }

    @Test func theFrameNumberAlone() {
        func number(_ text: String) -> UInt16? { withSpan(hex(text)) { DependencyDescriptor.frameNumber(of: $0) } }
        #expect(number("c5 abcd") == 0xabcd && number("c5 ab") == nil && number("") == nil)
    }
}
