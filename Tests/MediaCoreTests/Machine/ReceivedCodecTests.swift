import RTCWire
import Testing

@testable import MediaCore
@testable import RTCCore

/// A receiver that is sent what a browser sends in other codecs than VP8.
@Suite struct ReceivedCodecTests {
    private final class Counter: VideoSink, @unchecked Sendable {
        // One thread.
        private(set) var sizes: [Int] = []

        func receive(_ frame: VideoFrame) { sizes.append(frame.width) }
    }

    @Test(arguments: [
        ("h264", "H264", UInt8(102), 84, 320), ("av1-dd", "AV1", 45, 92, 640), ("vp9-svc", "VP9", 98, 76, 640),
    ])
    func picturesOfOtherCodecsAreShown(name: String, codec: String, type: UInt8, count: Int, width: Int) throws {
        let track = RemoteTrack(kind: .video, mid: "0", streamID: "ada", trackID: "card")
        let counter = Counter()
        track.attach(counter as any VideoSink)
        let negotiated = NegotiatedCodec(
            capability: 0, name: codec, clockRate: 90_000, channels: 1, payloadType: type, sendPayloadType: type,
            remoteParameters: SDPFormatParameters(), localParameters: SDPFormatParameters(), feedback: [],
            remoteFeedback: [])
        var receiver = try VideoReceiver(
            track, TrackNumber(line: 0, serial: 1), codecs: [negotiated], encryption: nil, pool: VideoFramePool(),
            now: .zero)
        let work = SessionWork()
        var unwrapper = SequenceUnwrapper()
        var now = Instant.zero
        var asked = 0
        for datagram in try RecordedPackets.read(name) {
            let header = try RTPHeader(parsing: datagram.bytes.span.bytes)
            guard header.payloadType == type else { continue }
            now = datagram.arrival
            let range = header.payloadRange(in: datagram.bytes.count)
            let packet = ReceivedRTP(
                header: header, extensions: RTPExtensions(), line: 0, payload: range,
                sequence: unwrapper.unwrap(header.sequenceNumber), isRetransmission: false, arrival: now)
            let wanted = datagram.bytes.withUnsafeBytes {
                receiver.receive(packet, payload: UnsafeRawBufferPointer(rebasing: $0[range]), into: work)
            }
            if wanted != nil { asked += 1 }
            for job in work.jobs {
                guard case .decoded(let frame, let outcome, let time)? = job.run(at: now)?.outcome else { continue }
                _ = receiver.take(outcome, of: frame, at: time, now: now, into: work)
            }
            work.jobs.removeAll()
        }
        var counted = ReceiverStatistics()
        receiver.count(into: &counted, now: now + .seconds(1))
        #expect(counter.sizes.count == count && counter.sizes.max() == width)
        #expect(counted.framesDecoded == count && counted.framesReceived == count && asked == 0)
        #expect(counted.rendering.framesRendered > count - 5 && counted.framesUndecodable == 0)
    }
}
