import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// A consumer that goes on with another producer.
@Suite struct MovingTests {
    private func second(in bench: Bench) -> TestProducer {
        TestProducer(
            ProducerConfiguration(codec: .vp8, clockRate: 90_000), source: RecordingSource(), in: bench.producer.room)
    }

    private func move(_ bench: Bench, to producer: TestProducer, payloadType: UInt8 = 120, now: Instant) -> Bool {
        let configuration = ConsumerConfiguration(
            ssrc: 7, payloadType: payloadType, rtxSSRC: 8, rtxPayloadType: 121, firstSequence: 1, firstRTXSequence: 1)
        return bench.producer.room.perform { room, outbox in
            let isMoved = room.move(bench.consumer.id, to: producer.id, configuration)
            room.start(bench.consumer.id, now: now, into: &outbox)
            return isMoved
        }
    }

    private func feed(
        _ producer: TestProducer, _ sequence: Int64, _ timestamp: UInt32, _ payload: [UInt8], at now: Instant
    ) {
        let header = RTPHeader(
            marker: true, payloadType: 96, sequenceNumber: UInt16(truncatingIfNeeded: sequence), timestamp: timestamp,
            ssrc: 1)
        let packet = ReceivedRTP(
            header: header, extensions: RTPExtensions(), line: 0, payload: 0..<payload.count, sequence: sequence,
            isRetransmission: false, arrival: now)
        payload.withUnsafeBytes { producer.receive(packet, in: $0) }
    }

    @Test func numbersGoOn() throws {
        let bench = Bench(codec: .vp8)
        bench.feed(10, timestamp: 500_000, payload: vp8(70, tl0: 9, key: true))
        bench.feed(11, timestamp: 503_000, payload: vp8(71, tl0: 10), at: milliseconds(33))
        let other = second(in: bench)
        #expect(move(bench, to: other, payloadType: 99, now: milliseconds(40)))
        // Of the earlier one nothing comes, of the next one nothing before a key frame.
        bench.feed(12, timestamp: 506_000, payload: vp8(72, tl0: 11), at: milliseconds(66))
        feed(other, 7000, 10, vp8(3), at: milliseconds(70))
        feed(other, 7001, 3010, vp8(4, key: true), at: milliseconds(133))
        feed(other, 7002, 6010, vp8(5, tl0: 1), at: milliseconds(166))
        #expect(bench.sink.sequences == [100, 101, 102, 103])
        #expect(bench.sink.sent.map(\.packet.payloadType) == [120, 120, 99, 99])
        // 100 ms behind the last one, by arrival.
        #expect(bench.sink.sent.map(\.packet.timestamp) == [500_000, 503_000, 512_000, 515_000])
        #expect(bench.sink.sent.map { descriptor($0.payload)?.pictureID } == [70, 71, 72, 73])
    }

    /// Layers of two producers may have the same name: what was sent of the first is not looked for in the second.
    @Test func whatWasSentBeforeIsNotRepeated() throws {
        let bench = Bench(codec: .vp8)
        bench.feed(10, timestamp: 0, payload: vp8(1, key: true))
        let other = second(in: bench)
        #expect(move(bench, to: other, now: milliseconds(10)))
        feed(other, 10, 10, vp8(9, key: true), at: milliseconds(20))
        let before = bench.sink.sent.count
        bench.consumer.resend([100], now: milliseconds(500), spacing: .milliseconds(5))
        #expect(bench.sink.sent.count == before)
        #expect(bench.statistics.retransmissionMisses == 1)
        bench.consumer.resend([101], now: milliseconds(500), spacing: .milliseconds(5))
        #expect(bench.sink.sent.count == before + 1)
    }

    @Test func aProducerThatHasEndedGoesWithItsLastConsumer() throws {
        let bench = Bench(codec: .vp8)
        bench.feed(10, timestamp: 0, payload: vp8(1, key: true))
        bench.producer.close()
        let other = second(in: bench)
        #expect(move(bench, to: other, now: milliseconds(10)))
        #expect(bench.producer.layers.isEmpty)
        other.close()
        #expect(!move(bench, to: other, now: milliseconds(10)))
    }
}
