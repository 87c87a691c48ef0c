import LoadCore
import MediaCore
import Testing

@testable import callagent

/// Frames of a publisher's own encoders decode as before, and say which they are.
@Suite struct StampMarkerTests {
    private let time = MediaTime(nanoseconds: 5_000_000_000)

    private func stampOf(_ payload: [UInt8]) -> MediaStamp? { payload.withUnsafeBytes { MediaStamp(of: $0) } }

    @Test(arguments: VideoCodec.allCases) func encodedPicturesSayWhichCardTheyShow(codec: VideoCodec) throws {
        let truth = SentTruth(.video, run: 6, publisher: 2)
        let card = try TestCardSource(sender: 1, width: 320, height: 180, frameRate: 15)
        let marker = StampMarker(truth, of: card, streams: LoadMedia.Format().streams, codec: codec)
        let encoder = try codec.makeEncoder(bitrate: 500_000, frameRate: 15)
        let decoder = try #require(try MediaCodec(sdpName: codec.name)?.makeDecoder())
        for number in 0..<20 {
            // One that was drawn and not sent leaves no gap in the numbers.
            if number == 7 { _ = card.nextFrame(at: time) }
            let picture = try #require(card.nextFrame(at: time))
            var frame = try encoder.compress(picture, forceKeyFrame: false).payload
            #expect(marker.mark(&frame, stream: 1, isKeyFrame: number == 0, at: time))
            let stamp = try #require(stampOf(frame))
            #expect((stamp.run, stamp.publisher, stamp.layer, stamp.number) == (6, 2, 1, UInt32(number)))
            #expect(stamp.nanoseconds == time.nanoseconds)
            let decoded = try #require(try frame.withUnsafeBytes { try decoder.decode($0, captureTime: time) })
            #expect(TestCardReader.read(decoded)?.frameNumber == UInt32(stamp.clip))
        }
        #expect(truth.last == [1: 19] && truth.counts.keyFrames == 1)
    }

    @Test func whatIsPausedOrSilentIsNotSent() {
        let truth = SentTruth(.audio, run: 1, publisher: 1, isSilent: true)
        let marker = StampMarker(truth)
        var frame: [UInt8] = [0x78, 1, 2, 3]
        #expect(!marker.mark(&frame, stream: 0, isKeyFrame: true, at: time))
        (truth.isSilent, truth.isPaused) = (false, true)
        #expect(!marker.mark(&frame, stream: 0, isKeyFrame: true, at: time))
        truth.isPaused = false
        #expect(marker.mark(&frame, stream: 0, isKeyFrame: true, at: time))
        #expect(stampOf(frame)?.number == 0 && truth.counts.frames == 1)
    }

    @Test func aPacketOfSeveralFramesGoesOnAsItIs() {
        let truth = SentTruth(.audio, run: 1, publisher: 1)
        var frame: [UInt8] = [0x79, 1, 2, 3]
        #expect(StampMarker(truth).mark(&frame, stream: 0, isKeyFrame: true, at: time))
        #expect(frame == [0x79, 1, 2, 3] && truth.counts.frames == 0)
    }

    @Test func aPauseIsNoDelay() {
        let truth = SentTruth(.audio, run: 1, publisher: 1)
        func send(at milliseconds: Int64) {
            _ = truth.next(
                layer: 0, clip: 0, bytes: 1, isKeyFrame: false, interval: 0.02, at: milliseconds * 1_000_000)
        }
        send(at: 0)
        send(at: 50)
        #expect(abs(truth.takeLongestDelay() - 30) < 1e-6 && truth.takeLongestDelay() == 0)
        // Silence, and a stream that nobody received for some seconds.
        truth.isSilent = true
        truth.isSilent = false
        send(at: 650)
        send(at: 4_000)
        #expect(truth.takeLongestDelay() == 0)
    }
}
