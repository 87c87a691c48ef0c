import RTCWire
import Testing

/// RFC 6716 table 2: all 32 configurations.
@Suite struct OpusTableTests {
    private static let table: [(configs: ClosedRange<UInt8>, mode: OpusPayload.Mode, samples: [Int])] = [
        (0...3, .silk, [480, 960, 1920, 2880]), (4...7, .silk, [480, 960, 1920, 2880]),
        (8...11, .silk, [480, 960, 1920, 2880]), (12...13, .hybrid, [480, 960]), (14...15, .hybrid, [480, 960]),
        (16...19, .celt, [120, 240, 480, 960]), (20...23, .celt, [120, 240, 480, 960]),
        (24...27, .celt, [120, 240, 480, 960]), (28...31, .celt, [120, 240, 480, 960]),
    ]

    @Test(arguments: table.indices) func configurations(_ row: Int) throws {
        let entry = Self.table[row]
        for config in entry.configs {
            for stereo: UInt8 in [0, 4] {
                let payload = try opusPayload([config << 3 | stereo, 0, 0])
                #expect(payload.mode == entry.mode && payload.channels == (stereo == 0 ? 1 : 2))
                #expect(payload.frameSamples == entry.samples[Int(config - entry.configs.lowerBound)])
                #expect(payload.frameCount == 1 && payload.samples == payload.frameSamples && !payload.isDTX)
            }
        }
    }

    /// Codes 0 to 3: one frame, two, two of different lengths, as many as the next byte says.
    @Test func frameCounts() throws {
        #expect(try opusPayload([0x18, 0]).frameCount == 1 && opusPayload([0x19, 0]).frameCount == 2)
        #expect(try opusPayload([0x1a, 0]).frameCount == 2 && opusPayload([0xe3, 48]).samples == 48 * 120)
        #expect(try opusPayload([0xe3, 0xc5, 0]).frameCount == 5)
    }

    /// Nothing is longer than 120 ms, and nothing is no frame.
    @Test(arguments: [[0xe3, 0], [0xe3, 49], [0x1b, 3], [0x0b, 7]] as [[UInt8]]) func lengthsThatCannotBe(
        _ bytes: [UInt8]
    ) {
        #expect(throws: WireError.invalidValue) { try opusPayload(bytes) }
    }

    @Test func silenceIsShort() throws {
        #expect(try opusPayload([0x08]).isDTX && opusPayload([0x08, 1]).isDTX && !opusPayload([0x08, 1, 2]).isDTX)
        #expect(throws: WireError.truncated) { try opusPayload([]) }
        #expect(throws: WireError.truncated) { try opusPayload([0x0b]) }
    }
}

/// RFC 6184 section 5, RFC 7798 section 4.4, AV1 RTP specification section 4.4.
@Suite struct VideoPayloadTableTests {
    private func h264(_ text: String) throws -> H264Payload {
        try withSpan(hex(text)) { span throws(WireError) in try H264Payload(parsing: span) }
    }

    private func h265(_ text: String) throws -> H265Payload {
        try withSpan(hex(text)) { span throws(WireError) in try H265Payload(parsing: span) }
    }

    private func av1(_ text: String) throws -> AV1Payload {
        try withSpan(hex(text)) { span throws(WireError) in try AV1Payload(parsing: span) }
    }

    @Test(arguments: [
        ("65", true, false, 1), ("67 42", false, true, 1), ("41", false, false, 1), ("68", false, false, 1),
        ("18 0002 6742 0001 68 0001 65", true, true, 3), ("18", false, false, 0),
        ("7c 85", true, false, 1), ("7c 05", false, false, 0), ("7c 87", false, true, 1), ("7c 45", false, false, 0),
    ])
    func h264Units(_ text: String, idr: Bool, parameters: Bool, count: Int) throws {
        let payload = try h264(text)
        #expect(payload.startsIDR == idr && payload.hasParameterSet == parameters && payload.unitCount == count)
    }

    @Test(arguments: ["", "18 00", "18 0000 67", "18 0003 6742", "7c", "18 0001 67 00"]) func h264Truncations(
        _ text: String
    ) {
        #expect(throws: WireError.truncated) { try h264(text) }
    }

    @Test(arguments: [
        ("2601", true, false, 1), ("4001", false, true, 1), ("4201", false, true, 1), ("4401", false, false, 1),
        ("0201", false, false, 1), ("2001", true, false, 1), ("2e01", true, false, 1), ("3001", false, false, 1),
        ("6001 0002 4001 0003 260100", true, true, 2), ("6201 93", true, false, 1), ("6201 13", false, false, 0),
        ("6201 a0", false, true, 1), ("6001", false, false, 0),
    ])
    func h265Units(_ text: String, irap: Bool, parameters: Bool, count: Int) throws {
        let payload = try h265(text)
        #expect(payload.startsIRAP == irap && payload.hasParameterSet == parameters && payload.unitCount == count)
    }

    @Test(arguments: ["", "26", "6201", "6001 0002 40", "6001 0001 4001", "6001 0005 4001 00"])
    func h265Truncations(_ text: String) {
        #expect(throws: WireError.truncated) { try h265(text) }
    }

    @Test(arguments: [
        ("18 0a01", true, true, 1), ("08", true, false, 0), ("10 0a", true, true, 1), ("90 0a", false, false, 1),
        ("20 01 0a 32", true, true, 2), ("00 01 0a 01 32", true, true, 2), ("10 32", false, false, 1),
        ("30 01 32 01 0a 32", true, true, 3), ("50 32", false, false, 1), ("00", false, false, 0),
    ])
    func av1Elements(_ text: String, startsKeyFrame: Bool, hasHeader: Bool, count: Int) throws {
        let payload = try av1(text)
        #expect(payload.startsKeyFrame == startsKeyFrame && payload.hasSequenceHeader == hasHeader)
        #expect(payload.elementCount == count)
        #expect(
            payload.continuesElement == (hex(text)[0] & 0x80 != 0) && payload.isContinued == (hex(text)[0] & 0x40 != 0))
    }

    @Test func av1Lengths() throws {
        // A length of two bytes, and one that doesn't end.
        let long = "00 8001" + String(repeating: "32", count: 128)
        #expect(try av1(long).elementCount == 1)
        #expect(throws: WireError.truncated) { try av1("00 02 0a") }
        #expect(throws: WireError.truncated) { try av1("00 80") }
        #expect(throws: WireError.truncated) { try av1("") }
        #expect(throws: WireError.invalidValue) { try av1("00 ffffffffffffffff 01") }
        #expect(throws: WireError.invalidValue) { try av1("00 ffffffff7f") }
    }
}

/// RFC 7741 section 4: a frame in pieces.
@Suite struct VP8PacketizerTableTests {
    @Test(arguments: [
        (0, 100, 1, [] as [Int]), (1, 100, 1, [1]), (99, 100, 1, [99]), (100, 100, 1, [50, 50]),
        (101, 100, 1, [51, 50]),
        (297, 100, 1, [99, 99, 99]), (298, 100, 1, [75, 75, 75, 73]), (10, 1, 6, Array(repeating: 1, count: 10)),
        (-5, 100, 1, []),
    ])
    func pieces(frame: Int, payload: Int, descriptor: Int, expected: [Int]) {
        let packetizer = VP8Packetizer(frameLength: frame, maximumPayload: payload, descriptorLength: descriptor)
        let fragments = Array(packetizer)
        #expect(fragments.map(\.range.count) == expected && packetizer.count == expected.count)
        #expect(fragments.map(\.isFirst) == expected.indices.map { $0 == 0 })
        #expect(fragments.map(\.isLast) == expected.indices.map { $0 == expected.count - 1 })
        #expect(fragments.first?.range.lowerBound ?? 0 == 0 && fragments.last?.range.upperBound ?? 0 == max(0, frame))
        #expect(zip(fragments, fragments.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
    }
}
