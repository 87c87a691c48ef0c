import RTCWire
import Testing

@testable import MediaCore

/// Pictures that Chromium sent as VP9, AV1 and H.264, from their packets to pixels; and what is left of them after harm.
@Suite struct CodecVectorTests {
    struct Recording: Sendable, CustomTestStringConvertible {
        var name: String
        var codec: MediaCodec
        var payloadType: UInt8
        var testDescription: String { name }
    }

    private static let recordings = [
        Recording(name: "h264", codec: .h264, payloadType: 102),
        Recording(name: "av1-dd", codec: .av1, payloadType: 45),
        Recording(name: "av1-l1t3", codec: .av1, payloadType: 45),
        Recording(name: "vp9-svc", codec: .vp9, payloadType: 98),
        Recording(name: "vp9-l3t3", codec: .vp9, payloadType: 98),
    ]

    private func pictures(_ recording: Recording) throws -> [FrameCollector.Picture] {
        var collector = FrameCollector(recording.codec)
        var unwrapper = SequenceUnwrapper()
        var result: [FrameCollector.Picture] = []
        for datagram in try RecordedPackets.read(recording.name) {
            let header = try RTPHeader(parsing: datagram.bytes.span.bytes)
            guard header.payloadType == recording.payloadType else { continue }
            let sequence = unwrapper.unwrap(header.sequenceNumber)
            datagram.bytes.withUnsafeBytes { bytes in
                let payload = UnsafeRawBufferPointer(rebasing: bytes[header.payloadRange(in: bytes.count)])
                collector.insert(payload, header, sequence: sequence, arrival: datagram.arrival)
            }
            while let picture = collector.nextPicture(now: datagram.arrival) { result.append(picture) }
        }
        return result
    }

    @Test(arguments: recordings) func whatABrowserSentIsSeen(recording: Recording) throws {
        let pictures = try pictures(recording)
        let decoder = try #require(try recording.codec.makeDecoder())
        var shown: [VideoFrame] = []
        var refused = 0
        for picture in pictures {
            do {
                let frame = try picture.payload.withUnsafeBytes { bytes throws(CodecError) in
                    try decoder.decode(bytes, captureTime: .zero)
                }
                if let frame { shown.append(frame) }
            } catch { refused += 1 }
        }
        #expect(pictures.count > 20 && refused == 0)
        #expect(shown.count == pictures.count)
    }

    /// Bits flipped, bytes cut off, pictures left out and doubled: decoders refuse or show something, and go on living.
    @Test(arguments: recordings, [1, 2, 3] as [UInt64]) func harmCostsPicturesAndNothingElse(
        recording: Recording, seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let pictures = try pictures(recording)
        let decoder = try #require(try recording.codec.makeDecoder())
        for _ in 0..<4 {
            for picture in pictures {
                var bytes = picture.payload
                harm(&bytes, &generator)
                _ = try? bytes.withUnsafeBytes { bytes throws(CodecError) in
                    try decoder.decode(bytes, captureTime: .zero)
                }
            }
        }
        // A key frame makes it good again.
        let key = try #require(pictures.first { $0.isKeyFrame })
        var recovered: VideoFrame?
        for _ in 0..<3 where recovered == nil {
            recovered = try? key.payload.withUnsafeBytes { bytes throws(CodecError) in
                try decoder.decode(bytes, captureTime: .zero)
            }
        }
        #expect(recovered != nil)
    }

    private func harm(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        switch generator.next() % 6 {
        case 0: bytes.removeLast(Int(generator.next() % UInt64(bytes.count)))
        case 1, 2:
            for _ in 0..<(1 + generator.next() % 8) {
                bytes[Int(generator.next() % UInt64(min(bytes.count, 64)))] ^= 1 << UInt8(generator.next() % 8)
            }
        case 3:
            for _ in 0..<(1 + generator.next() % 40) {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
        case 4: bytes = (0..<Int(1 + generator.next() % 200)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        default: break
        }
    }

    @Test func largePicturesAreRefusedBeforeMemoryIsTaken() throws {
        // A VP9 key frame of 65,536 x 65,536: marker, profile 0, shown, sync code, colours, size.
        let key: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x0f, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0]
        let header = try #require(key.withUnsafeBytes { VP9FrameHeader($0) })
        #expect(header.isKeyFrame && header.size?.width == 65_536 && header.size?.height == 65_536)
        let decoder = try VP9Decoder()
        #expect(throws: CodecError.tooLarge) {
            try key.withUnsafeBytes { bytes throws(CodecError) in try decoder.decode(bytes) }
        }
    }

    @Test func superframesAreTakenApart() throws {
        let bytes: [UInt8] = [1, 2, 3, 0xd9, 2, 0, 0, 0, 1, 0, 0, 0, 0xd9]
        #expect(
            try bytes.withUnsafeBytes { bytes throws(CodecError) in try VP9Superframe.frames(of: bytes) } == [
                0..<2, 2..<3,
            ])
        var wrong = bytes
        wrong[4] = 9
        #expect(throws: CodecError.invalidPayload) {
            try wrong.withUnsafeBytes { bytes throws(CodecError) in try VP9Superframe.frames(of: bytes) }
        }
    }
}
