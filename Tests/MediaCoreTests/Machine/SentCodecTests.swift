import Foundation
import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// Pictures sent in every codec that can be sent, in virtual time, with the real encoders and decoders.
@Suite struct SentCodecTests {
    private func pair(
        _ tracks: [LocalTrack], loss: Double = 0, acceptsAll: Bool = true,
        configure: (inout MediaSessionConfiguration) -> Void = { _ in }
    ) throws -> MachinePair {
        var conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(5))
        conditions.loss = loss
        let pair = try MachinePair(conditions) { configuration, isAda in
            if !isAda { configuration.acceptsAllCodecs = acceptsAll }
            configure(&configuration)
        }
        for track in tracks {
            try pair.perform(pair.ada) { machine, _, _ in _ = try machine.addTrack(track, streamID: "ada") }
        }
        return pair
    }

    private func card(_ encoding: VideoEncoding, width: Int = 320, height: Int = 180) throws -> LocalTrack {
        let source = try TestCardSource(sender: 3, width: width, height: height, frameRate: 15)
        return LocalTrack(.video(source, encoding), id: "card")
    }

    @Test(arguments: VideoCodec.allCases, [0, 0.03])
    func picturesArrive(codec: VideoCodec, loss: Double) throws {
        let pair = try pair([try card(VideoEncoding(bitrate: 300_000, codec: codec))], loss: loss)
        try pair.negotiate()
        try #require(pair.connect())
        let cards = TestCardSink()
        pair.bob.tracks.first?.attach(cards as any VideoSink)
        pair.pass(seconds: 10)
        let pictures = try #require(pair.statistics(pair.bob).receivers.first)
        #expect((148...151).contains(pair.statistics(pair.ada).senders[0].framesSent))
        #expect(pictures.framesDecoded >= 145, "\(codec.name): of \(pictures.framesReceived)")
        #expect(cards.report.wrongSender == 0 && cards.report.outOfOrder == 0)
        #expect(cards.report.missing == 0 && cards.report.framesRead >= 140)
    }

    @Test(arguments: [VideoCodec.vp9, .h264]) func whoDoesNotTakeTheCodecGetsVP8(codec: VideoCodec) throws {
        let pair = try pair([try card(VideoEncoding(codec: codec))], acceptsAll: false)
        let offer = try pair.perform(pair.ada) { machine, now, out in try machine.createOffer(now: now, into: out) }
        let names = [codec.name, "VP8"].map { offer.sdp.range(of: "\($0)/90000")?.lowerBound }
        #expect(names[0] != nil && names[1] != nil && names[0]! < names[1]!, "the wanted one first")
        let answer = try pair.perform(pair.bob) { machine, now, out in
            try machine.createAnswer(to: offer, now: now, into: out)
        }
        try pair.perform(pair.ada) { machine, now, out in try machine.setAnswer(answer, now: now, into: out) }
        try #require(pair.connect())
        pair.pass(seconds: 2)
        #expect(try #require(pair.statistics(pair.bob).receivers.first).framesDecoded >= 25)
    }

    @Test func encryptionTakesVP8Alone() throws {
        let pair = try pair([]) { $0.frameEncryption = FrameEncryption(sharedKey: "a passphrase") }
        for codec in VideoCodec.allCases {
            let track = try card(VideoEncoding(codec: codec))
            let result = Result {
                try pair.perform(pair.ada) { machine, _, _ in _ = try machine.addTrack(track, streamID: "ada") }
            }
            #expect(((try? result.get()) != nil) == (codec == .vp8))
        }
    }

    @Test(arguments: VideoCodec.allCases) func anEncoderFollowsSizeAndRate(codec: VideoCodec) throws {
        let encoder = try codec.makeEncoder(bitrate: 800_000, frameRate: 15)
        let decoder = try #require(try MediaCodec(sdpName: codec.name)?.makeDecoder())
        var (bytes, read) = ([0, 0], 0)
        for number in 0..<90 {
            let (width, height) = number < 30 ? (640, 360) : (320, 180)
            if number == 60 { try encoder.setBitrate(100_000) }
            let frame = VideoFrame(black: width, by: height)
            try TestCard(sender: 7, width: width, height: height)
                .draw(frameNumber: UInt32(number), time: .zero, into: frame.buffer.planes)
            let encoded = try encoder.compress(frame, forceKeyFrame: number == 20)
            #expect(encoded.isKeyFrame == [0, 20, 30].contains(number), "\(codec.name), picture \(number)")
            if let quantizer = encoded.quantizer { #expect((0...127).contains(quantizer)) }
            if number >= 40 { bytes[number / 66] += encoded.payload.count }
            let shown = try encoded.payload.withUnsafeBytes { bytes throws(CodecError) in
                try decoder.decode(bytes, captureTime: .zero)
            }
            let picture = try #require(shown)
            #expect(picture.width == width)
            if TestCardReader.read(picture)?.frameNumber == UInt32(number) { read += 1 }
        }
        #expect(read >= 72, "a coarse one may be past reading: \(codec.name), \(read)")
        #expect(bytes[1] < bytes[0], "\(codec.name): \(bytes)")
        guard codec != .vp8 else { return }
        #expect(throws: CodecError.self) {
            try encoder.compress(VideoFrame(black: 5_000, by: 4), forceKeyFrame: false)
        }
    }

    @Test func quantizersHaveOneScale() {
        #expect(VideoCodec.vp8.quantizer(63) == 63)
        #expect(VideoCodec.vp9.quantizer(149) == 29 && VideoCodec.vp9.quantizer(205) == 95)
        #expect(VideoCodec.vp9.quantizer(0) == 0 && VideoCodec.vp9.quantizer(255) == 127)
    }
}
