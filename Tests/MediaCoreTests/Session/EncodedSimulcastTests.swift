import RTCWire
import Synchronization
import Testing

@testable import MediaCore

/// Pictures that are compressed already, in several sizes.
@Suite struct EncodedSimulcastTests {
    /// Tells what was asked of it.
    private final class Source: EncodedSimulcastSource {
        let codecName = "VP8"
        let (width, height, frameRate) = (640, 360, 30.0)
        let layers = [
            VideoLayer(rid: "q", width: 320, height: 180, bitrate: 100_000, maximumFramesPerSecond: 15),
            VideoLayer(rid: "h", width: 640, height: 360, bitrate: 500_000),
        ]
        private let calls = Mutex<[String]>([])

        func nextFrame(at time: MediaTime) -> EncodedVideoFrame? { nextFrame(of: "h", at: time) }
        func requestKeyFrame() { note("key of all") }

        func nextFrame(of rid: String, at time: MediaTime) -> EncodedVideoFrame? {
            note(rid)
            return EncodedVideoFrame(
                payload: Array(rid.utf8), isKeyFrame: false, width: rid == "q" ? 320 : 640, height: 180,
                captureTime: time)
        }

        func requestKeyFrame(of rid: String) { note("key of \(rid)") }

        private func note(_ call: String) { calls.withLock { $0.append(call) } }

        func take() -> [String] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    private func coder(_ source: Source, _ rids: [String]) throws -> VideoCoder {
        let input = VideoInput.encoded(source)
        let layers = try rids.map {
            try LayerCoder(input.layer(rid: $0), nil, frameRate: 30, sealer: nil, firstTimestamp: 0)
        }
        return VideoCoder(input, layers: layers)
    }

    @Test func eachStreamTakesItsOwnPictures() throws {
        let source = Source()
        let coder = try coder(source, ["h", "q"])
        var order = VideoOrder(due: .zero, isMuted: false)
        order.layers = [.init(index: 0, isKeyFrame: false), .init(index: 1, isKeyFrame: true)]
        let pictures = coder.encode(order, now: Instant(nanoseconds: 5))
        #expect(source.take() == ["h", "key of q", "q"])
        #expect(pictures.map(\.layer) == [0, 1])
        #expect(pictures.map(\.payload) == [Array("h".utf8), Array("q".utf8)])
        #expect(pictures.map(\.width) == [640, 320])
    }

    @Test func aStreamThatNobodyWantsIsNotAskedFor() throws {
        let source = Source()
        let coder = try coder(source, ["h", "q"])
        var order = VideoOrder(due: .zero, isMuted: false)
        order.layers = [.init(index: 1, isKeyFrame: false)]
        #expect(coder.encode(order, now: .zero).map(\.layer) == [1])
        #expect(source.take() == ["q"])
    }

    /// A picture that is due and that no stream takes, as between those of a slower one or while the track is muted.
    @Test(arguments: [false, true]) func whatNobodyTakesIsNotRead(isMuted: Bool) throws {
        let source = Source()
        let coder = try coder(source, ["h", "q"])
        #expect(coder.encode(VideoOrder(due: .zero, isMuted: isMuted), now: .zero).isEmpty)
        #expect(source.take() == [])
    }

    @Test func theDescriptionNamesItsStreams() throws {
        let pair = try MachinePair { _, _ in }
        try pair.perform(pair.ada) { machine, now, out in
            _ = try machine.addTrack(LocalTrack(.encodedVideo(Source()), id: "card"), streamID: "ada")
            let offer = try machine.createOffer(now: now, into: out).sdp
            #expect(offer.contains("a=simulcast:send h;q"))
            #expect(offer.contains("a=rid:h send") && offer.contains("a=rid:q send"))
        }
    }
}
