import RTCCore
import RTCWire
import Testing

@testable import SFUCore

@Suite struct SimulcastTests {
    private let bench = Bench(codec: .vp8)

    private func feed(_ rid: String, _ sequence: Int64, _ timestamp: UInt32, key: Bool, ms: Int) {
        let ssrc: UInt32 = rid == "q" ? 10 : rid == "h" ? 11 : 12
        bench.feed(
            sequence, timestamp: timestamp, payload: vp8(UInt16(sequence), key: key, body: UInt8(ssrc)), ssrc: ssrc,
            rid: rid,
            at: milliseconds(ms))
    }

    private var bodies: [UInt8] { bench.sink.sent.compactMap { $0.payload.dropLast().last } }

    @Test func upwardsAtKeyFramesOnly() {
        feed("q", 1, 1000, key: true, ms: 0)
        feed("f", 500, 77_000, key: false, ms: 5)
        feed("q", 2, 4000, key: false, ms: 33)
        #expect(bodies == [10, 10])
        #expect(bench.source.requests == [12])
        feed("f", 501, 80_000, key: true, ms: 66)
        feed("q", 3, 7000, key: false, ms: 66)
        #expect(bodies == [10, 10, 12])
        #expect(bench.sink.sequences == [100, 101, 102])
        #expect(bench.sink.sent[2].packet.timestamp == 4000 + 33 * 90)
        #expect(descriptor(bench.sink.sent[2].payload)?.pictureID == 3)
    }

    @Test func downWhenTheLargeLayerStops() {
        feed("f", 500, 0, key: true, ms: 0)
        feed("q", 1, 0, key: true, ms: 10)
        #expect(bodies == [12])
        feed("q", 30, 87_000, key: false, ms: 1066)
        #expect(bench.source.requests.isEmpty, "two pictures say nothing")
        feed("q", 31, 90_000, key: false, ms: 1100)
        feed("q", 32, 93_000, key: true, ms: 1133)
        #expect(bodies == [12, 10])
        #expect(bench.source.requests == [10])
    }

    @Test func limitIsKept() {
        feed("q", 1, 0, key: true, ms: 0)
        feed("h", 1, 0, key: true, ms: 1)
        feed("f", 1, 0, key: true, ms: 2)
        bench.consumer.setLayerLimit(1, now: milliseconds(3))
        #expect(bench.source.requests == [11])
        feed("f", 2, 3000, key: false, ms: 35)
        feed("h", 2, 3000, key: true, ms: 36)
        feed("f", 3, 6000, key: true, ms: 70)
        feed("h", 3, 6000, key: false, ms: 71)
        #expect(bodies == [10, 11, 12, 12, 11, 11])
    }

    @Test func senderReportsAlignTheLayers() {
        let second: UInt64 = 1 << 32
        feed("q", 1, 1000, key: true, ms: 0)
        bench.producer.receiveSenderReport(ssrc: 10, ntp: 100 * second, rtpTimestamp: 1000, arrival: milliseconds(0))
        feed("f", 1, 500_000, key: false, ms: 500)
        bench.producer.receiveSenderReport(
            ssrc: 12, ntp: 100 * second + second / 2, rtpTimestamp: 500_000, arrival: milliseconds(500))
        // Late by 20 ms on the way: the sender's clock counts, not the arrival.
        feed("f", 2, 545_000, key: true, ms: 1020)
        #expect(bench.sink.sent[1].packet.timestamp == 1000 + 90_000)
        // The report is repeated at once, on the consumer's time line.
        #expect(bench.sink.reports.count == 2)
        let report = bench.sink.reports[1]
        let offset = bench.sink.sent[1].packet.timestamp &- 545_000
        #expect(report.timestamp &- offset == 500_000 + 46_800)
    }
}
