import RTCWire
import Testing

@testable import MediaCore

@Suite struct FrameCollectorTests {
    /// Packets of pictures, in the order given: sequence, timestamp, marker, payload.
    private static func pictures(
        _ codec: MediaCodec, _ packets: [(Int64, UInt32, Bool, [UInt8])]
    ) -> [FrameCollector.Picture] {
        var collector = FrameCollector(codec)
        var result: [FrameCollector.Picture] = []
        for (sequence, timestamp, marker, payload) in packets {
            let header = RTPHeader(
                marker: marker, payloadType: 96, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
                timestamp: timestamp, ssrc: 1)
            payload.withUnsafeBytes { collector.insert($0, header, sequence: sequence, arrival: .zero) }
            while let picture = collector.nextPicture(now: .zero) { result.append(picture) }
        }
        return result
    }

    @Test func h264UnitsStandBehindStartCodes() {
        let pictures = Self.pictures(
            .h264,
            [
                (10, 1, true, [0x41, 9]),
                (11, 2, false, [0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 2]),
                (13, 2, true, [0x7c, 0x45, 5]),
                (12, 2, false, [0x7c, 0x85, 4]),
                (14, 3, true, [0x41, 6]),
            ])
        #expect(pictures.map(\.isKeyFrame) == [true, false])
        #expect(
            pictures.map(\.payload) == [
                [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 0, 1, 0x65, 4, 5], [0, 0, 0, 1, 0x41, 6],
            ])
    }

    @Test func av1UnitsSayTheirSize() {
        // A sequence header, and a frame in two packets.
        let pictures = Self.pictures(
            .av1, [(1, 1, false, [0x68, 2, 0x08, 7, 0x30, 1, 2].map { $0 }), (2, 1, true, [0x90, 3, 4])])
        #expect(pictures.map(\.payload) == [[0x0a, 1, 7, 0x32, 4, 1, 2, 3, 4]])
    }

    @Test func vp9LayersBecomeASuperframe() {
        // Layers 0 and 1 of a key picture: I, L, B, E; no inter-picture prediction.
        let pictures = Self.pictures(
            .vp9, [(1, 1, false, [0x2c, 0x00, 0x00, 1, 2]), (2, 1, true, [0x2c, 0x03, 0x00, 3])])
        #expect(pictures.map(\.payload) == [[1, 2, 3, 0xd9, 2, 0, 0, 0, 1, 0, 0, 0, 0xd9]])
    }

    @Test func whatIsMissingEndsInAKeyFrame() {
        var collector = FrameCollector(.h264)
        var payloads: [[UInt8]] = []
        for (sequence, key) in [(1, true), (3, false), (4, false), (5, true), (6, false)] as [(Int64, Bool)] {
            let header = RTPHeader(
                marker: true, payloadType: 96, sequenceNumber: UInt16(sequence), timestamp: UInt32(sequence), ssrc: 1)
            let bytes: [UInt8] = key ? [0x65, UInt8(sequence)] : [0x41, UInt8(sequence)]
            let now = Instant.zero + .milliseconds(Int(sequence) * 400)
            bytes.withUnsafeBytes { collector.insert($0, header, sequence: sequence, arrival: now) }
            while let picture = collector.nextPicture(now: now) { payloads.append(Array(picture.payload.suffix(1))) }
        }
        #expect(payloads == [[1], [5], [6]])
    }

    @Test func strangersBytesAreNoPicture() {
        for codec in [MediaCodec.vp9, .av1, .h264] {
            for byte in UInt8.min...UInt8.max {
                _ = Self.pictures(
                    codec, [(1, 1, true, [byte]), (2, 2, true, [byte, byte, 0xff, 0xff]), (3, 3, true, [])])
            }
        }
    }
}
