import Testing

@testable import RTCWire

/// RFC 9628 section 4.2.
@Suite struct VP9DescriptorUnitTests {
    private func parse(_ text: String) throws -> VP9PayloadDescriptor {
        try withSpan(hex(text)) { span throws(WireError) in try VP9PayloadDescriptor(parsing: span) }
    }

    private func structure(_ text: String, at offset: Int = 0) throws -> VP9ScalabilityStructure {
        try withSpan(hex(text)) { span throws(WireError) in try VP9ScalabilityStructure(parsing: span, at: offset) }
    }

    @Test func theFirstByte() throws {
        let none = try parse("00")
        #expect(none.pictureID == nil && !none.hasLayers && !none.isFlexible && !none.startsFrame && !none.endsFrame)
        #expect(!none.isInterPicturePredicted && !none.isNotForHigherLayers && none.structureOffset == nil)
        let some = try parse("4d")
        #expect(some.isInterPicturePredicted && some.startsFrame && some.endsFrame && some.isNotForHigherLayers)
    }

    @Test(arguments: [("80 00", 0, 0), ("80 7f", 127, 0), ("80 8000", 0, 1), ("80 ffff", 0x7fff, 1)])
    func pictureIDs(_ text: String, expected: UInt16, width: UInt8) throws {
        let descriptor = try parse(text)
        #expect(descriptor.pictureID == expected && descriptor.pictureIDWidth.rawValue == width)
    }

    @Test func layersWithoutFlexibleModeCountPictures() throws {
        // TID 5, U, SID 3, D.
        let descriptor = try parse("20 b7 2a")
        #expect(descriptor.temporalID == 5 && descriptor.isSwitchingPoint && descriptor.spatialID == 3)
        #expect(descriptor.isInterLayerPredicted && descriptor.tl0PicIdx == 0x2a)
        #expect(throws: WireError.truncated) { try parse("20 b7") }
    }

    @Test(arguments: [("08", true), ("48", false), ("00", false), ("28 02 00", false), ("28 e0 00", true)])
    func whereDecodingMayBegin(_ text: String, expected: Bool) throws {
        #expect(try parse(text).startsKeyFrame == expected)
    }

    /// References are there in flexible mode and where the picture is predicted.
    @Test(arguments: [("50 02", 1), ("50 03 04", 2), ("50 03 05 06", 3), ("10", 0), ("40", 0)])
    func references(_ text: String, count: Int) throws {
        let descriptor = try parse(text)
        #expect(descriptor.referenceCount == count)
        for index in 0..<count { #expect(descriptor.references[index] == UInt8(index + 1)) }
    }

    @Test func renumberingKeepsTheLength() throws {
        let long = try parse("a8 8001 20 07")
        #expect(written { long.writeHead(pictureID: 0x1234, tl0PicIdx: 9, into: $0) } == hex("a8 9234 20 09"))
        let short = try parse("88 01")
        #expect(written { short.writeHead(pictureID: 0x1ff, tl0PicIdx: 9, into: $0) } == hex("88 7f"))
        let bare = try parse("08")
        #expect(written { bare.writeHead(pictureID: 5, tl0PicIdx: 9, into: $0) } == hex("08"))
        #expect(written(4) { long.writeHead(pictureID: 1, tl0PicIdx: 1, into: $0) } == [])
    }

    @Test func equalDescriptorsAreEqual() throws {
        let texts = ["a8 8001 20 07", "a8 8002 20 07", "a8 8001 40 07", "a8 8001 20 08", "88 01", "50 02", "50 04"]
        let all = try texts.map(parse)
        for (index, one) in all.enumerated() {
            for (other, two) in all.enumerated() { #expect((one == two) == (index == other)) }
        }
        #expect(Set(all).count == all.count)
    }

    // MARK: Section 4.2.1

    @Test func sizes() throws {
        let structure = try structure("30 0140 00b4 0280 0168")
        #expect(structure.spatialLayers == 2 && structure.end == 9 && structure.groupLength == 0)
        #expect(structure.widths[0] == 320 && structure.heights[0] == 180)
        #expect(structure.widths[1] == 640 && structure.heights[1] == 360 && structure.widths[2] == 0)
    }

    /// A group of four pictures: temporal layers 0, 2, 1, 2.
    @Test func groups() throws {
        let structure = try structure("08 04 0408 5402 3404 580204")
        #expect(structure.spatialLayers == 1 && structure.groupLength == 4 && structure.highestTemporalID == 2)
        #expect(structure.end == 11)
    }

    @Test(arguments: ["", "10", "10 0140", "08", "08 01", "08 01 04", "f0 0001"]) func truncations(_ text: String) {
        #expect(throws: WireError.truncated) { try structure(text) }
    }

    @Test func whatLiesOutsideIsTruncated() {
        #expect(throws: WireError.truncated) { try structure("00", at: 1) }
        #expect(throws: WireError.truncated) { try structure("00", at: -1) }
    }

    @Test func theLengthCountsTheStructure() throws {
        let bytes = hex("0a 10 0140 00b4 ffff")
        let span = bytes.span.bytes
        let descriptor = try VP9PayloadDescriptor(parsing: span)
        let length = try descriptor.encodedLength(in: span)
        #expect(descriptor.structureOffset == 1 && length == 6)
    }
}
