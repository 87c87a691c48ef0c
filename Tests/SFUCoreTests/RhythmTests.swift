import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Reports, first key frames and probes.
@Suite struct RhythmTests {
    private static let second: UInt64 = 1 << 32

    private func picture(_ bench: Bench, _ number: Int, at milliseconds: Int) {
        bench.feed(
            Int64(number), timestamp: UInt32(milliseconds) * 90, payload: vp8(UInt16(number), key: number == 1),
            at: SFUCoreTests.milliseconds(milliseconds))
    }

    /// The source's clock read at the moment of the report, on this consumer's time line.
    @Test func reportsAreOfTheMomentTheyLeave() throws {
        let bench = Bench(codec: .vp8)
        picture(bench, 1, at: 0)
        #expect(bench.consumer.senderReport(now: milliseconds(10)) == nil, "the source has not told its clock")
        bench.producer.receiveSenderReport(
            ssrc: 1, ntp: 5 * Self.second, rtpTimestamp: 900, arrival: milliseconds(100))
        #expect(bench.sink.reports.count == 1, "the first one is passed on at once")
        bench.producer.receiveSenderReport(
            ssrc: 1, ntp: 6 * Self.second, rtpTimestamp: 90_900, arrival: milliseconds(1_100))
        #expect(bench.sink.reports.count == 1)
        let report = try #require(bench.consumer.senderReport(now: milliseconds(3_100)))
        #expect(report == ForwardedReport(ssrc: 7, ntp: 8 * Self.second, rtpTimestamp: 270_900))
        bench.producer.setMuted(true, now: milliseconds(3_200))
        #expect(bench.consumer.senderReport(now: milliseconds(3_300)) == nil, "nothing flows")
    }

    @Test func earlyReportsCanBeLeftOut() {
        var configuration = ConsumerConfiguration(ssrc: 7, payloadType: 96, firstSequence: 1, firstRTXSequence: 1)
        configuration.reportsEarly = false
        let bench = Bench(codec: .vp8, configuration)
        picture(bench, 1, at: 0)
        bench.producer.receiveSenderReport(ssrc: 1, ntp: Self.second, rtpTimestamp: 900, arrival: milliseconds(100))
        #expect(bench.sink.reports.isEmpty && bench.consumer.senderReport(now: milliseconds(200)) != nil)
    }

    @Test func eachLayerIsAskedForAKeyFrameOnceWithNobodyThere() {
        let bench = Bench(codec: .vp8)
        bench.consumer.stop()
        for (number, ssrc) in [(1, UInt32(11)), (1, 12)] {
            bench.feed(
                Int64(number), timestamp: 9, payload: vp8(1, key: true), ssrc: ssrc, rid: ssrc == 11 ? "q" : "h",
                at: .zero)
        }
        bench.source.requests = []
        bench.producer.requestFirstKeyFrames(now: milliseconds(990))
        #expect(bench.source.requests.isEmpty)
        bench.producer.requestFirstKeyFrames(now: milliseconds(1_010))
        #expect(bench.source.requests == [11, 12])
        bench.producer.requestFirstKeyFrames(now: milliseconds(2_010))
        #expect(bench.source.requests == [11, 12])
    }

    @Test func allLayersAreAskedAtOnceWhereThePublisherDoesSoAnyway() {
        var published = ProducerConfiguration(codec: .vp8, clockRate: 90_000)
        published.asksForAllLayers = true
        let bench = Bench(
            published, ConsumerConfiguration(ssrc: 7, payloadType: 120, firstSequence: 100, firstRTXSequence: 5))
        for ssrc: UInt32 in [11, 12] {
            bench.feed(
                1, timestamp: 9, payload: vp8(1, key: true), ssrc: ssrc, rid: ssrc == 11 ? "q" : "h", at: .zero)
        }
        bench.source.requests = []
        bench.consumer.requestKeyFrame(now: milliseconds(10))
        #expect(bench.source.requests == [11, 12])
    }

    /// Real media on the retransmission stream, the same numbers twice, each a packet of its own.
    @Test func probesRepeatTheLatestPackets() throws {
        let bench = Bench(codec: .vp8)
        for number in 1...10 { picture(bench, number, at: number * 33) }
        let media = bench.sink.sent
        bench.sink.sent = []
        for _ in 0..<2 { bench.consumer.repeatLatest(2) }
        let probes = bench.sink.sent
        #expect(probes.allSatisfy { $0.packet.ssrc == 8 && $0.packet.payloadType == 121 })
        #expect(Set(probes.map(\.packet.sequenceNumber)).count == 4)
        let originals = probes.map { UInt16($0.payload[0]) << 8 | UInt16($0.payload[1]) }
        #expect(
            originals == media.suffix(2).map(\.packet.sequenceNumber) + media.suffix(2).map(\.packet.sequenceNumber))
        #expect(zip(probes, media.suffix(2)).allSatisfy { Array($0.payload.dropFirst(2)) == $1.payload })
    }

    @Test func nothingIsProbedBeforeMediaFlows() {
        let bench = Bench(codec: .vp8)
        bench.consumer.repeatLatest(2)
        #expect(bench.sink.sent.isEmpty)
    }
}
