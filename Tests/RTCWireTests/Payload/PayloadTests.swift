import RTCWire
import Testing

struct VP8PayloadDescriptorTests {
    @Test func fields() throws {
        let full = try vp8Descriptor(hex("b3 f0 9234 56 aa 00"))
        #expect(full.isNonReference && full.startsPartition && full.partitionIndex == 3 && !full.startsFrame)
        #expect(full.pictureID == 0x1234 && full.pictureIDWidth == .fifteenBits && full.tl0PicIdx == 0x56)
        #expect(full.temporalID == 2 && full.isLayerSync && full.keyIndex == 10 && full.encodedLength == 6)
        let short = try vp8Descriptor(hex("90 80 7f"))
        #expect(short.pictureID == 0x7f && short.pictureIDWidth == .sevenBits && short.startsFrame)
        #expect(try vp8Descriptor(hex("10")).encodedLength == 1)
        #expect(try vp8Descriptor(hex("80 00")).encodedLength == 2)
        #expect(try vp8Descriptor(hex("80 10 e5")).temporalID == nil)
    }

    @Test func everyTruncationIsRefused() {
        let full = hex("80 f0 9234 56 aa")
        for length in 0..<full.count {
            #expect(throws: WireError.truncated) { try vp8Descriptor(Array(full.prefix(length))) }
        }
    }

    @Test func anyDescriptorGoesRound() throws {
        var generator = SeededGenerator(seed: 7741)
        for _ in 0..<2000 {
            var descriptor = VP8PayloadDescriptor()
            descriptor.isNonReference = .random(using: &generator)
            descriptor.startsPartition = .random(using: &generator)
            descriptor.partitionIndex = .random(in: 0...7, using: &generator)
            if Bool.random(using: &generator) {
                descriptor.pictureIDWidth = Bool.random(using: &generator) ? .sevenBits : .fifteenBits
                descriptor.pictureID = .random(in: 0...descriptor.pictureIDWidth.mask, using: &generator)
            }
            if Bool.random(using: &generator) { descriptor.tl0PicIdx = .random(in: 0...255, using: &generator) }
            if Bool.random(using: &generator) {
                descriptor.temporalID = .random(in: 0...3, using: &generator)
                descriptor.isLayerSync = .random(using: &generator)
            }
            if Bool.random(using: &generator) { descriptor.keyIndex = .random(in: 0...31, using: &generator) }
            let bytes = written { descriptor.write(into: $0) }
            #expect(bytes.count == descriptor.encodedLength)
            #expect(try vp8Descriptor(bytes) == descriptor)
            #expect(written(bytes.count - 1) { descriptor.write(into: $0) } == [])
        }
    }

    @Test(arguments: ["90 80 05", "90 f0 8005 01 20", "90 40 07", "90 00", "10", "90 20 40", "90 80 ffff"])
    func renumberingKeepsTheLength(text: String) throws {
        let original = try vp8Descriptor(hex(text))
        let changed = original.renumbered(pictureID: 0x7abc, tl0PicIdx: 0x99)
        let bytes = written { changed.write(into: $0) }
        #expect(bytes.count == original.encodedLength)
        let read = try vp8Descriptor(bytes)
        #expect(read.pictureID == original.pictureID.map { _ in 0x7abc & original.pictureIDWidth.mask })
        #expect(read.tl0PicIdx == original.tl0PicIdx.map { _ in 0x99 })
        #expect(read.temporalID == original.temporalID && read.keyIndex == original.keyIndex)
    }
}

struct VP8FrameHeaderTests {
    private func header(_ text: String) throws(WireError) -> VP8FrameHeader {
        try withSpan(hex(text)) { span throws(WireError) in try VP8FrameHeader(parsing: span) }
    }

    @Test func keyFrame() throws {
        let read = try header("f0 01 00 9d012a 8002 6841")
        #expect(read.isKeyFrame && read.isShown && read.width == 640 && read.height == 360)
        #expect(read.firstPartitionLength == 7 | 1 << 3)
    }

    @Test func interFrame() throws {
        let read = try header("11 00 00")
        #expect(!read.isKeyFrame && read.isShown && read.width == 0)
    }

    @Test func refusals() {
        #expect(throws: WireError.truncated) { try header("10 00") }
        #expect(throws: WireError.truncated) { try header("10 00 00 9d012a 8002 68") }
        #expect(throws: WireError.invalidVersion) { try header("10 00 00 9d012b 8002 6801") }
        #expect(throws: WireError.invalidValue) { try header("10 00 00 9d012a 0000 6801") }
    }

    @Test func keyFrameIsToldBehindTheDescriptor() throws {
        for (text, expected) in [("10 00", true), ("10 01", false), ("11 00", false), ("00 00", false), ("10", false)] {
            let payload = hex(text)
            let descriptor = try vp8Descriptor(payload)
            #expect(withSpan(payload) { descriptor.startsKeyFrame(in: $0) } == expected)
        }
    }
}

struct VP8PacketizerTests {
    @Test func coversTheFrameInEqualPieces() {
        for frame in 1...3000 {
            let fragments = Array(VP8Packetizer(frameLength: frame, maximumPayload: 500, descriptorLength: 4))
            let sizes = fragments.map(\.range.count)
            #expect(sizes.reduce(0, +) == frame && sizes.count == (frame + 495) / 496)
            #expect(sizes.dropLast().allSatisfy { $0 == sizes[0] } && sizes[sizes.count - 1] <= sizes[0])
            #expect(sizes[0] <= 496 && fragments.filter(\.isFirst).count == 1 && fragments.filter(\.isLast).count == 1)
            #expect(fragments[0].isFirst && fragments[fragments.count - 1].range.upperBound == frame)
        }
    }

    @Test func countIsKnownBeforehand() {
        for (frame, room) in [(0, 100), (1, 100), (100, 7), (999, 1), (10, 0), (9, 4)] {
            let packetizer = VP8Packetizer(frameLength: frame, maximumPayload: room, descriptorLength: 1)
            #expect(packetizer.count == Array(packetizer).count)
        }
    }
}

struct OpusPayloadTests {
    @Test(
        arguments: [
            (0x00, 480, 1), (0x08, 960, 1), (0x10, 1920, 1), (0x18, 2880, 1), (0x60, 480, 1), (0x7c, 960, 2),
            (0x80, 120, 1),
            (0xfc, 960, 2), (0xf8, 960, 1), (0x88, 240, 1), (0x90, 480, 1),
        ] as [(UInt8, Int, Int)])
    func frameLengths(toc: UInt8, samples: Int, channels: Int) throws {
        let payload = try opusPayload([toc, 0, 0])
        #expect(payload.samples == samples && payload.channels == channels && !payload.isDTX)
        #expect(try opusPayload([toc | 1, 0, 0]).samples == 2 * samples)
    }

    @Test func arbitraryFrameCounts() throws {
        #expect(try opusPayload([0x83, 48]).samples == 5760)
        #expect(throws: WireError.invalidValue) { try opusPayload([0x83, 49]) }
        #expect(throws: WireError.invalidValue) { try opusPayload([0x83, 0xc0]) }
        #expect(throws: WireError.truncated) { try opusPayload([0x83]) }
        #expect(throws: WireError.truncated) { try opusPayload([]) }
        #expect(try opusPayload([0xf8]).isDTX && opusPayload([0xf8, 0xff]).isDTX)
    }

    @Test func modes() throws {
        #expect(try opusPayload([0x08, 0, 0]).mode == .silk && opusPayload([0x68, 0, 0]).mode == .hybrid)
        #expect(try opusPayload([0xf8, 0, 0]).mode == .celt)
    }
}

struct RTXTests {
    @Test func restoresWithoutMovingBytes() throws {
        let packet = hex("80 e1 0005 00000064 00000009 1234 aabb")
        let restored = try withSpan(packet) { span throws(WireError) in
            RTX.restore(try RTPHeader(parsing: span), in: span, ssrc: 7, payloadType: 96)
        }
        let header = try #require(restored)
        #expect(header.ssrc == 7 && header.payloadType == 96 && header.sequenceNumber == 0x1234 && header.marker)
        #expect(header.timestamp == 100 && Array(packet[header.payloadRange(in: packet.count)]) == [0xaa, 0xbb])
        #expect(written { RTX.write(originalSequenceNumber: 0x1234, into: $0) } == [0x12, 0x34])
    }

    @Test(arguments: [
        "80 61 0005 00000064 00000009", "80 61 0005 00000064 00000009 12", "a0 61 0005 00000064 00000009 12340003",
    ])
    func tooShortIsNone(text: String) throws {
        let packet = hex(text)
        let restored = try withSpan(packet) { span throws(WireError) in
            RTX.restore(try RTPHeader(parsing: span), in: span, ssrc: 7, payloadType: 96)
        }
        #expect(restored == nil)
    }
}
