import RTCWire
import Testing

@testable import RTCCore

/// Which sources have a place, and who gives one away.
@Suite struct StreamsPlacesTests {
    private func streams(named: [UInt32] = [], limit: Int = 256) -> ReceiveStreams {
        var limits = StreamLimits()
        limits.maximumReceiveStreams = limit
        var streams = ReceiveStreams(limits: limits)
        streams.setMap(map(named: named))
        return streams
    }

    /// Audio 111 on line 0, video 96 on line 1.
    private func map(named: [UInt32]) -> ReceiveMap {
        ReceiveMap(lines: [
            .init(
                index: 0, kind: .audio, mid: ShortToken("0"), codecs: [.init(payloadType: 111, clockRate: 48_000)],
                extensionMap: RTPExtensionMap([(3, .mid)]), sources: named.map { .init(ssrc: $0) }),
            .init(
                index: 1, kind: .video, mid: ShortToken("1"), codecs: [.init(payloadType: 96, clockRate: 90_000)],
                extensionMap: RTPExtensionMap([(3, .mid)])),
        ])
    }

    private func arrive(_ streams: inout ReceiveStreams, _ ssrc: UInt32, _ payloadType: UInt8, at now: Instant) -> Bool
    {
        // Numbers rise with time: a repetition is no sign of life.
        let header = RTPHeader(
            marker: false, payloadType: payloadType, sequenceNumber: UInt16(now.nanoseconds / 1_000_000), timestamp: 0,
            ssrc: ssrc)
        guard
            case .stream(let index, _) = streams.resolve(header, RTPExtensions(), originalSequence: 0, now: now),
            let codec = streams.table.codec(payloadType)
        else { return false }
        _ = streams.update(index) {
            $0.receive(header, payloadLength: 1, viaRTX: false, codec: codec, now: now, limits: StreamLimits())
        }
        return true
    }

    /// A source in every packet, 1,000 a second for 10 s, on a line where others speak.
    @Test func aSourcePerPacketKeepsToItsLine() {
        var streams = streams(named: [1])
        var taken = 0
        for millisecond in 0..<10_000 {
            let now = Instant.zero + .milliseconds(millisecond)
            if millisecond % 20 == 0 {
                #expect(arrive(&streams, 1, 111, at: now) && arrive(&streams, 2, 96, at: now))
            }
            if arrive(&streams, UInt32(1000 + millisecond), 96, at: now) { taken += 1 }
        }
        #expect(streams.streams.count == 1 + StreamLimits().maximumLearnedStreams)
        #expect(taken < 60, "\(taken) of 10,000")
        #expect(streams.index(ssrc: 1) != nil && streams.index(ssrc: 2) != nil)
        #expect(streams.steps < 60 * 20, "\(streams.steps) streams were looked at")
    }

    @Test func theOneSilentForLongestGoes() {
        var streams = streams()
        let limit = UInt32(StreamLimits().maximumLearnedStreams)
        for ssrc in 1...limit { #expect(arrive(&streams, ssrc, 96, at: .zero + .milliseconds(Int(ssrc)))) }
        #expect(!arrive(&streams, 100, 96, at: .zero + .seconds(1)))
        #expect(arrive(&streams, 1, 96, at: .zero + .seconds(2)))
        #expect(arrive(&streams, 100, 96, at: .zero + .seconds(3)))
        #expect(streams.index(ssrc: 2) == nil && streams.index(ssrc: 1) != nil && streams.index(ssrc: 100) != nil)
        // Other lines have places of their own.
        #expect(arrive(&streams, 200, 111, at: .zero + .seconds(3)))
    }

    @Test func anEndedOneGoesAtOnce() throws {
        var streams = streams()
        let limit = UInt32(StreamLimits().maximumLearnedStreams)
        for ssrc in 1...limit { #expect(arrive(&streams, ssrc, 96, at: .zero)) }
        #expect(!arrive(&streams, 100, 96, at: .zero))
        streams.end(try #require(streams.index(ssrc: 3)))
        #expect(arrive(&streams, 100, 96, at: .zero) && streams.index(ssrc: 3) == nil)
    }

    @Test func namedSourcesComeFirst() {
        let named = Array(UInt32(1000)...1005)
        var streams = streams(named: named, limit: 6)
        for ssrc: UInt32 in 1...6 { #expect(arrive(&streams, ssrc, 96, at: .zero)) }
        for ssrc in named { #expect(arrive(&streams, ssrc, 111, at: .zero)) }
        #expect(Set(streams.streams.map(\.ssrc)) == Set(named))
        #expect(!arrive(&streams, 7, 96, at: .zero + .seconds(9)))
        #expect(arrive(&streams, 7, 96, at: .zero + .seconds(20)))
    }

    @Test func expectedSourcesAreNamedOrKnown() {
        var streams = streams(named: [5])
        #expect(streams.isExpected(5) && !streams.isExpected(6))
        #expect(arrive(&streams, 6, 96, at: .zero))
        #expect(streams.isExpected(6))
    }
}
