import Testing

@testable import MediaCore

@Suite struct CodecVP9Tests {
    @Test func whatIsEncodedIsReadAgain() throws {
        let card = try TestCard(sender: 7, width: 320, height: 180)
        let encoder = try VP9Encoder(width: 320, height: 180, bitrate: 300_000, frameRate: 15)
        let decoder = try VP9Decoder()
        var bytes = 0
        for number in 0..<30 {
            let frame = VideoFrame(black: 320, by: 180)
            card.draw(frameNumber: UInt32(number), time: .zero, into: frame.buffer.planes)
            let encoded = try encoder.encode(frame, forceKeyFrame: number == 20)
            #expect(encoded.isKeyFrame == (number == 0 || number == 20))
            bytes += encoded.payload.count
            let shown = try encoded.payload.withUnsafeBytes { bytes throws(CodecError) in
                try decoder.decode(bytes, captureTime: .zero)
            }
            let reading = TestCardReader.read(try #require(shown))
            #expect(reading?.sender == 7 && reading?.frameNumber == UInt32(number))
        }
        #expect(bytes < 150_000)
    }

    /// Cells that change places with their opposites are no well predicted block.
    @Test(arguments: [150_000, 600_000]) func everyPictureOfARunningClockIsRead(_ bitrate: Int) throws {
        let card = try TestCard(sender: 3, width: 640, height: 360)
        let encoder = try VP9Encoder(width: 640, height: 360, bitrate: bitrate, frameRate: 15)
        let decoder = try VP9Decoder()
        var unread: [Int] = []
        for number in 0..<150 {
            let frame = VideoFrame(black: 640, by: 360)
            let time = MediaTime(nanoseconds: 7_000_000_000 + Int64(number) * 66_666_667)
            card.draw(frameNumber: UInt32(number), time: time, into: frame.buffer.planes)
            let encoded = try encoder.encode(frame)
            let shown = try encoded.payload.withUnsafeBytes { bytes throws(CodecError) in try decoder.decode(bytes) }
            if TestCardReader.read(try #require(shown))?.frameNumber != UInt32(number) { unread.append(number) }
        }
        #expect(unread.isEmpty)
    }

    private func keyFrame(_ width: Int, _ height: Int) throws -> [UInt8] {
        let encoder = try VP9Encoder(width: width, height: height, bitrate: 300_000)
        return try encoder.encode(VideoFrame(black: width, by: height), forceKeyFrame: true).payload
    }

    /// Nobody has asked how large it is.
    @Test(arguments: [0, 1, 3]) func aFrameBehindTheFrameIsNotDecoded(_ zeros: Int) throws {
        let (small, large) = (try keyFrame(64, 48), try keyFrame(640, 360))
        let payload = small + [UInt8](repeating: 0, count: zeros) + large
        let decoder = try VP9Decoder()
        let shown = try payload.withUnsafeBytes { bytes throws(CodecError) in try decoder.decode(bytes) }
        #expect(shown?.buffer.planes.width == 64 && shown?.buffer.planes.height == 48)
    }

    @Test func theIndexOfOneFrameIsReadAgain() throws {
        for size in [1, 255, 70_000] {
            var bytes = [UInt8](repeating: 7, count: size)
            VP9Superframe.appendIndex(ofOne: size, to: &bytes)
            #expect(try bytes.withUnsafeBytes { try VP9Superframe.frames(of: $0) } == [0..<size])
        }
    }

    @Test func whatIsOutOfRangeIsSaid() throws {
        #expect(throws: MediaError.self) { try VP9Encoder(width: 0, height: 90, bitrate: 100_000) }
        let encoder = try VP9Encoder(width: 64, height: 64, bitrate: 100_000)
        #expect(throws: CodecError.invalidArgument) { try encoder.encode(VideoFrame(black: 32, by: 32)) }
    }
}
