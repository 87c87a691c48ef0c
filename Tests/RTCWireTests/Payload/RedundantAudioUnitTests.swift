import RTCWire
import Testing

/// RFC 2198 section 3, byte for byte.
@Suite struct RedundantAudioUnitTests {
    private func blocks(_ text: String) throws -> [RedundantAudio.Block] {
        let bytes = hex(text)
        let span = bytes.span.bytes
        let audio = try RedundantAudio(parsing: span)
        return (0...audio.copies).compactMap { audio.block($0, in: span) }
    }

    private func write(_ earlier: [(UInt32, Int)], _ frame: (UInt32, Int), capacity: Int = 1200) -> [UInt8] {
        func make(_ entry: (UInt32, Int)) -> RedundantAudio.Frame {
            .init(timestamp: entry.0, payload: [UInt8](repeating: UInt8(truncatingIfNeeded: entry.0), count: entry.1))
        }
        return written(capacity) {
            RedundantAudio.write(make(frame), after: earlier.map(make), payloadType: 111, into: $0)
        }
    }

    @Test func aFrameAlone() throws {
        #expect(try blocks("6f aabb") == [.init(payloadType: 111, timestampOffset: 0, range: 1..<3, distance: 0)])
        #expect(write([], (5, 2)) == hex("6f 0505"))
    }

    /// Offset 960 and length 2: 1 1101111 | 00001111000000 0000000010.
    @Test func aCopyBefore() throws {
        let bytes = write([(40, 2)], (1000, 1))
        #expect(bytes == hex("ef0f0002 6f 2828 e8"))
        #expect(
            try blocks("ef0f0002 6f 2828 e8") == [
                .init(payloadType: 111, timestampOffset: 960, range: 5..<7, distance: 1),
                .init(payloadType: 111, timestampOffset: 0, range: 7..<8, distance: 0),
            ])
    }

    /// Timestamps wrap.
    @Test func overTheWrap() throws {
        let read = try write([(UInt32.max - 9, 1)], (950, 1)).withUnsafeBytes { try blocks(of: $0) }
        #expect(read.first?.timestampOffset == 960)
    }

    private func blocks(of bytes: UnsafeRawBufferPointer) throws -> [RedundantAudio.Block] {
        let audio = try RedundantAudio(parsing: bytes.bytes)
        return (0...audio.copies).compactMap { audio.block($0, in: bytes.bytes) }
    }

    /// The fields' limits: an offset of 14 bits, a length of 10; and a copy of nothing is none.
    @Test(arguments: [(0x3fff, 10, true), (0x4000, 10, false), (960, 1023, true), (960, 1024, false), (960, 0, false)])
    func limits(age: UInt32, length: Int, isTaken: Bool) {
        let bytes = write([(100_000 - age, length)], (100_000, 3), capacity: 2000)
        #expect(bytes.count == (isTaken ? 4 + length : 0) + 1 + 3)
    }

    /// A copy that doesn't fit ends the row: receivers count back from the present frame.
    @Test func theRowHasNoHoles() {
        let bytes = write([(100, 10), (200, 2000), (300, 10)], (400, 5))
        #expect(bytes.count == 4 + 10 + 1 + 5)
        #expect(write([(100, 10), (200, 10)], (300, 5), capacity: 20).count == 20)
        #expect(write([(100, 10), (200, 10)], (300, 5), capacity: 19).count == 6)
        #expect(write([], (300, 5), capacity: 5).isEmpty)
    }

    @Test(arguments: [
        ("", WireError.truncated), ("ef0f00", .truncated), ("ef0f0002", .truncated), ("ef0f0002 6f 28", .invalidLength),
        (String(repeating: "ef000000", count: 17) + "6f", .invalidValue),
    ])
    func refusals(_ text: String, error: WireError) {
        #expect(throws: error) { try blocks(text) }
    }

    @Test func blocksOfAnotherPayloadAreNone() throws {
        let bytes = hex("ef0f0002 6f 2828 e8")
        let span = bytes.span.bytes
        let audio = try RedundantAudio(parsing: span)
        let outside = [audio.block(-1, in: span), audio.block(2, in: span)]
        #expect(outside == [nil, nil] && audio.copies == 1)
        let shorter = hex("ef0f0002 6f 2828")
        let other = shorter.span.bytes
        let none = audio.block(0, in: other)
        #expect(none == nil)
    }
}
