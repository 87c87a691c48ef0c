import RTCWire
import Testing

@testable import RTCCore

/// How a packet finds its line and its source (RFC 9143 section 9.2, RFC 4588 section 5.3, RFC 8852).
@Suite struct StreamsBindingTests {
    private let now = Instant.zero

    private func streams(_ sources: [ReceiveMap.Source] = [], limit: Int = 256) -> ReceiveStreams {
        var limits = StreamLimits()
        limits.maximumReceiveStreams = limit
        var streams = ReceiveStreams(limits: limits)
        streams.setMap(map(sources))
        return streams
    }

    /// Audio 111 on line 0, video 96 with RTX 97 on lines 1 and 2.
    private func map(_ sources: [ReceiveMap.Source] = []) -> ReceiveMap {
        let video: [ReceiveMap.Codec] = [
            .init(payloadType: 96, clockRate: 90_000, nack: true), .init(payloadType: 97, clockRate: 90_000, apt: 96),
        ]
        func line(_ index: Int, _ kind: StreamKind, _ codecs: [ReceiveMap.Codec]) -> ReceiveMap.Line {
            .init(
                index: index, kind: kind, mid: ShortToken("m\(index)"), codecs: codecs,
                extensionMap: RTPExtensionMap([(3, .mid)]), sources: index == 2 ? sources : [])
        }
        return ReceiveMap(lines: [
            line(0, .audio, [.init(payloadType: 111, clockRate: 48_000)]), line(1, .video, video),
            line(2, .video, video),
        ])
    }

    private func header(_ ssrc: UInt32, _ payloadType: UInt8, _ sequence: UInt16 = 1) -> RTPHeader {
        RTPHeader(marker: false, payloadType: payloadType, sequenceNumber: sequence, timestamp: 0, ssrc: ssrc)
    }

    private func extensions(mid: String? = nil, rid: String? = nil, repaired: String? = nil) -> RTPExtensions {
        var extensions = RTPExtensions()
        extensions.mid = mid.flatMap { ShortToken($0) }
        extensions.rid = rid.flatMap { ShortToken($0) }
        extensions.repairedRid = repaired.flatMap { ShortToken($0) }
        return extensions
    }

    /// The primary SSRC and the line that a packet is found to belong to; nil where it isn't.
    private func resolve(
        _ streams: inout ReceiveStreams, _ header: RTPHeader, _ extensions: RTPExtensions = RTPExtensions(),
        original: UInt16 = 0
    ) -> (ssrc: UInt32, line: Int, isRTX: Bool)? {
        let resolution = streams.resolve(header, extensions, originalSequence: original, now: now)
        guard case .stream(let index, let isRTX) = resolution else { return nil }
        return (streams.streams[index].ssrc, streams.streams[index].line, isRTX)
    }

    @Test func byPayloadTypeWhereOneLineHasIt() {
        var streams = streams()
        #expect(resolve(&streams, header(1, 111))?.line == 0)
        // Both video lines have 96: without more, the line stays open, and the packet is not lost.
        #expect(resolve(&streams, header(2, 96))?.line == -1)
        #expect(resolve(&streams, header(3, 100)) == nil)
    }

    @Test func byMidAtOnceOrLater() {
        var streams = streams()
        #expect(resolve(&streams, header(5, 96), extensions(mid: "m1"))?.line == 1)
        #expect(resolve(&streams, header(5, 96))?.line == 1)
        #expect(resolve(&streams, header(6, 96))?.line == -1)
        #expect(resolve(&streams, header(6, 96), extensions(mid: "m2"))?.line == 2)
        #expect(resolve(&streams, header(6, 96), extensions(mid: "nonsense"))?.line == 2)
        #expect(resolve(&streams, header(6, 96), extensions(mid: "m1"))?.line == 1)
    }

    @Test func byAnnouncement() {
        var streams = streams([.init(ssrc: 70, rtxSSRC: 71)])
        #expect(resolve(&streams, header(70, 96))?.line == 2)
        let repeated = resolve(&streams, header(71, 97))
        #expect(repeated?.ssrc == 70)
        #expect(repeated?.isRTX == true)
        // A renegotiation moves what it names.
        streams.setMap(map())
        #expect(resolve(&streams, header(70, 96))?.line == 2)
    }

    @Test func retransmissionsOfNothingAreOrphans() {
        var streams = streams([.init(ssrc: 70, rtxSSRC: 71)])
        #expect(resolve(&streams, header(71, 97)) == nil)
        #expect(resolve(&streams, header(99, 97)) == nil)
        #expect(streams.streams.isEmpty)
    }

    @Test func repairedRidNamesTheLayer() {
        var streams = streams()
        for (index, rid) in ["q", "h", "f"].enumerated() {
            _ = resolve(&streams, header(UInt32(10 + index), 96), extensions(mid: "m1", rid: rid))
        }
        let repeated = resolve(&streams, header(21, 97), extensions(mid: "m1", repaired: "h"))
        #expect(repeated?.ssrc == 11)
        #expect(resolve(&streams, header(21, 97))?.ssrc == 11)
        #expect(resolve(&streams, header(22, 97), extensions(mid: "m1", repaired: "x")) == nil)
    }

    @Test func theMissingPacketNamesTheSource() {
        var streams = streams()
        for ssrc: UInt32 in [30, 31] {
            for sequence: UInt16 in ssrc == 30 ? [1, 2, 4] : [100, 102] {
                let header = header(ssrc, 96, sequence)
                guard
                    case .stream(let index, _) = streams.resolve(
                        header, extensions(mid: "m1"), originalSequence: 0, now: now),
                    let codec = streams.table.codec(96)
                else { continue }
                _ = streams.update(index) {
                    $0.receive(
                        header, payloadLength: 10, viaRTX: false, codec: codec, arrival: now, now: now,
                        limits: StreamLimits())
                }
            }
        }
        #expect(resolve(&streams, header(40, 97), extensions(mid: "m1"), original: 50) == nil)
        #expect(resolve(&streams, header(40, 97), extensions(mid: "m1"), original: 101)?.ssrc == 31)
        // One source is left without retransmissions: it must be this one's.
        #expect(resolve(&streams, header(41, 97), extensions(mid: "m1"), original: 9)?.ssrc == 30)
    }

    @Test func aRetransmissionSourceBelongsToOneStream() {
        var streams = streams([.init(ssrc: 70, rtxSSRC: 71)])
        _ = resolve(&streams, header(70, 96))
        _ = resolve(&streams, header(80, 96), extensions(mid: "m2"))
        streams.setMap(map([.init(ssrc: 80, rtxSSRC: 71)]))
        #expect(resolve(&streams, header(71, 97))?.ssrc == 80)
        #expect(streams.streams.filter { $0.rtxSSRC == 71 }.count == 1)
    }

    @Test func aPrimaryCannotBeTakenForItsRetransmissions() {
        var streams = streams([.init(ssrc: 70, rtxSSRC: 70)])
        #expect(resolve(&streams, header(70, 96))?.isRTX == false)
        #expect(resolve(&streams, header(70, 97)) == nil || resolve(&streams, header(70, 97))?.ssrc == 70)
        #expect(resolve(&streams, header(70, 96))?.isRTX == false)
    }

    @Test func endedSourcesMakeRoom() {
        var streams = streams(limit: 2)
        _ = resolve(&streams, header(1, 111))
        _ = resolve(&streams, header(2, 111))
        #expect(resolve(&streams, header(3, 111)) == nil)
        streams.end(0)
        #expect(resolve(&streams, header(3, 111))?.ssrc == 3)
        #expect(streams.index(ssrc: 1) == nil)
        #expect(resolve(&streams, header(2, 111))?.ssrc == 2)
    }
}
