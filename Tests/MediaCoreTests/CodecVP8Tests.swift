import MediaCore
import Testing

@Suite struct CodecVP8Tests {
    /// One encoded picture, kept beyond the encoder's next call.
    private struct Packet {
        var bytes: [UInt8]
        var isKeyFrame: Bool
    }

    private func encode(_ encoder: VP8Encoder, _ frame: VideoFrame, key: Bool = false) throws -> Packet {
        try encoder.encode(frame, forceKeyFrame: key) { Packet(bytes: Array($0.payload), isKeyFrame: $0.isKeyFrame) }
    }

    private func pictures(_ source: TestCardSource, _ count: Int, from start: Int = 0) -> [VideoFrame] {
        (start..<start + count).compactMap {
            source.nextFrame(at: MediaTime(nanoseconds: Int64($0) * 33_333_333))
        }
    }

    @Test(arguments: [(150_000, 640, 360), (500_000, 640, 360), (1_000_000, 640, 360), (100_000, 320, 180)])
    func rateFollowsItsTarget(bitrate: Int, width: Int, height: Int) throws {
        let source = try TestCardSource(sender: 3, width: width, height: height)
        let encoder = try VP8Encoder(.init(bitrate: bitrate))
        let sizes = try pictures(source, 300).map { try encode(encoder, $0).bytes.count }
        let measured = Double(sizes.dropFirst(60).reduce(0, +) * 8) / (240.0 / 30)
        let ratio = measured / Double(bitrate)
        #expect(ratio < 1.15)
        // With a megabit the card is as fine as the quantizer can make it.
        #expect(ratio > 0.85 || bitrate == 1_000_000)
    }

    @Test func everyPictureGivesAPacketAndDecodes() throws {
        let source = try TestCardSource(sender: 1)
        let encoder = try VP8Encoder(.init(bitrate: 150_000))
        let decoder = try VP8Decoder()
        for (index, picture) in pictures(source, 90).enumerated() {
            let packet = try encode(encoder, picture)
            #expect(packet.isKeyFrame == (index == 0))
            let decoded = try #require(
                try packet.bytes.withUnsafeBytes { try decoder.decode($0, captureTime: picture.captureTime) })
            #expect(decoded.width == 640 && decoded.height == 360)
            #expect(decoded.captureTime == picture.captureTime)
            #expect(!decoder.isCorrupted)
        }
    }

    @Test(arguments: [(622_080, 640, 360), (2_488_320, 1280, 720), (155_520, 320, 180)])
    func theFirstPicturesAreReadable(bitrate: Int, width: Int, height: Int) throws {
        let source = try TestCardSource(sender: 5, width: width, height: height)
        let encoder = try VP8Encoder(.init(bitrate: bitrate))
        let decoder = try VP8Decoder()
        for (number, picture) in pictures(source, 60).enumerated() {
            let packet = try encode(encoder, picture)
            let decoded = try #require(
                try packet.bytes.withUnsafeBytes { try decoder.decode($0, captureTime: picture.captureTime) })
            #expect(TestCardReader.read(decoded) != nil, "picture \(number)")
        }
    }

    @Test func keyFramesComeOnDemandAndStayModerate() throws {
        let source = try TestCardSource(sender: 2)
        let encoder = try VP8Encoder(.init(bitrate: 300_000))
        for (index, picture) in pictures(source, 200).enumerated() {
            let packet = try encode(encoder, picture, key: index % 50 == 25)
            #expect(packet.isKeyFrame == (index == 0 || index % 50 == 25))
            // Ten average pictures at most.
            if packet.isKeyFrame, index > 0 { #expect(packet.bytes.count < 10 * 300_000 / 8 / 30) }
        }
    }

    @Test func rateChangesWithoutAKeyFrame() throws {
        let source = try TestCardSource(sender: 4)
        let encoder = try VP8Encoder(.init(bitrate: 800_000))
        func rate(_ count: Int, from start: Int) throws -> Double {
            let packets = try pictures(source, count, from: start).map { try encode(encoder, $0) }
            #expect(start == 0 || packets.allSatisfy { !$0.isKeyFrame })
            return Double(packets.suffix(60).map(\.bytes.count).reduce(0, +) * 8) / 2
        }
        let high = try rate(120, from: 0)
        try encoder.setRate(bitrate: 200_000)
        let low = try rate(120, from: 120)
        #expect(low < 230_000)
        #expect(high > 1.5 * low)
        #expect(throws: MediaError.self) { try encoder.setRate(bitrate: 0) }
    }

    @Test func sizeChangesMidStream() throws {
        let encoder = try VP8Encoder()
        let decoder = try VP8Decoder()
        let sizes = [(640, 360), (320, 180), (1_280, 720), (160, 90), (322, 182)]
        var time = 0
        for (width, height) in sizes {
            let source = try TestCardSource(sender: 9, width: width, height: height)
            for (index, picture) in pictures(source, 5, from: time).enumerated() {
                let packet = try encode(encoder, picture)
                #expect(packet.isKeyFrame == (index == 0))
                let decoded = try #require(try packet.bytes.withUnsafeBytes { try decoder.decode($0) })
                #expect(decoded.width == width && decoded.height == height)
                #expect(TestCardReader.read(decoded)?.frameNumber == UInt32(index))
            }
            time += 5
        }
    }

    @Test func oddSizesSurvive() throws {
        let encoder = try VP8Encoder()
        let decoder = try VP8Decoder()
        let packet = try encode(encoder, VideoFrame(black: 33, by: 17))
        let decoded = try #require(try packet.bytes.withUnsafeBytes { try decoder.decode($0) })
        #expect(decoded.width == 33 && decoded.height == 17)
        decoded.withPlanes { planes in #expect(abs(Int(planes.y[16 * planes.yStride + 32]) - 16) < 4) }
    }

    @Test func aPictureThatStandsStillInTimeIsEncoded() throws {
        let encoder = try VP8Encoder()
        for _ in 0..<5 { _ = try encode(encoder, VideoFrame(black: 64, by: 64)) }
    }

    @Test func damagedPicturesAreErrorsNeverTraps() throws {
        let source = try TestCardSource(sender: 5, width: 160, height: 90)
        let encoder = try VP8Encoder()
        let packets = try pictures(source, 20).map { try encode(encoder, $0).bytes }
        var random = SeededGenerator(seed: 11)
        var outcomes = (decoded: 0, refused: 0)
        for _ in 0..<40 {
            let decoder = try VP8Decoder()
            for packet in packets {
                var bytes = packet
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                bytes.removeLast(Int.random(in: 0...bytes.count / 2, using: &random))
                do {
                    _ = try bytes.withUnsafeBytes { try decoder.decode($0) }
                    outcomes.decoded += 1
                } catch { outcomes.refused += 1 }
            }
        }
        #expect(outcomes.decoded + outcomes.refused == 800)
    }

    @Test func aHugeOrEmptyPictureIsRefused() throws {
        let decoder = try VP8Decoder()
        let huge: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f, 0, 0, 0, 0]
        #expect(throws: CodecError.tooLarge) { _ = try huge.withUnsafeBytes { try decoder.decode($0) } }
        #expect(throws: CodecError.invalidPayload) { _ = try [UInt8]().withUnsafeBytes { try decoder.decode($0) } }
    }
}
