import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Opus with copies, and telephone keys, to subscribers who know them and who don't.
@Suite struct AudioFormatTests {
    private let source = RecordingSource()

    private func producer() -> TestProducer {
        TestProducer(
            ProducerConfiguration(
                codec: .opus, payloads: ProducerPayloads(primary: 111, redundancy: 63, events: 126), clockRate: 48_000),
            source: source)
    }

    private func join(_ producer: TestProducer, red: UInt8?, events: UInt8?) -> RecordingSink {
        let sink = RecordingSink()
        TestConsumer(
            ConsumerConfiguration(
                ssrc: 1, payloadType: 100, redundancyPayloadType: red, eventPayloadType: events, firstSequence: 10,
                firstRTXSequence: 0),
            producer: producer, sink: sink
        ).start(now: .zero)
        return sink
    }

    /// Where the present frame stands in a payload with copies.
    private func present(_ payload: [UInt8]) throws -> Range<Int>? {
        let red = try RedundantAudio(parsing: payload.span.bytes)
        return red.block(red.copies, in: payload.span.bytes)?.range
    }

    private func feed(_ stream: RecordedStream, to producer: TestProducer) {
        for packet in stream.packets {
            packet.bytes.withUnsafeBytes { producer.receive(packet.received, in: $0) }
        }
    }

    @Test func recordedRedundancyIsKeptOrTakenOff() throws {
        let stream = try RecordedStream("opus-red-dtmf", payloadType: 63)
        let producer = producer()
        let keeping = join(producer, red: 63, events: nil)
        let stripping = join(producer, red: nil, events: nil)
        feed(stream, to: producer)
        let filled = stream.packets.filter { !$0.received.payload.isEmpty }
        #expect(filled.count == 296)
        #expect(keeping.sent.map(\.payload) == filled.map { Array($0.bytes[$0.received.payload]) })
        #expect(keeping.sent.allSatisfy { $0.packet.payloadType == 63 })
        #expect(stripping.sent.count == filled.count && stripping.sequences == keeping.sequences)
        for (whole, plain) in zip(keeping.sent, stripping.sent) {
            let frame = try #require(try present(whole.payload))
            #expect(plain.payload == Array(whole.payload[frame]) && plain.packet.payloadType == 100)
            #expect(plain.packet.timestamp == whole.packet.timestamp)
            let samples = try OpusPayload(parsing: plain.payload.span.bytes).samples
            #expect(samples == 960)
        }
    }

    @Test func telephoneKeysGoToThoseWhoKnowThem() throws {
        var stream = try RecordedStream("opus-red-dtmf", payloadType: 126)
        let voice = try RecordedStream("opus-red-dtmf", payloadType: 63)
        #expect(stream.packets.count == 12)
        stream.packets = (stream.packets + voice.packets).sorted { $0.received.sequence < $1.received.sequence }
        let producer = producer()
        let knowing = join(producer, red: 63, events: 101)
        let other = join(producer, red: 63, events: nil)
        feed(stream, to: producer)
        #expect(knowing.sent.filter { $0.packet.payloadType == 101 }.count == 12)
        #expect(knowing.sent.count == other.sent.count + 12)
        #expect(knowing.isContinuous && other.isContinuous)
    }

    @Test func unknownPayloadTypesAndBrokenRedundancyAreLeftOut() {
        let producer = producer()
        let sink = join(producer, red: nil, events: nil)
        func feed(_ type: UInt8, _ sequence: Int64, _ payload: [UInt8]) {
            let header = RTPHeader(
                marker: false, payloadType: type, sequenceNumber: UInt16(sequence), timestamp: 0, ssrc: 5)
            let received = ReceivedRTP(
                header: header, extensions: RTPExtensions(), line: 0, payload: 0..<payload.count, sequence: sequence,
                isRetransmission: false, arrival: .zero)
            payload.withUnsafeBytes { producer.receive(received, in: $0) }
        }
        feed(111, 1, [0x78, 1])
        feed(0, 2, [9, 9])
        feed(63, 3, [0xef])
        feed(63, 4, [0x6f])
        feed(63, 5, [0x6f, 0x78, 2])
        #expect(sink.sent.map(\.payload) == [[0x78, 1], [0x78, 2]])
        #expect(sink.sequences == [10, 12])
        #expect(producer.room.statistics.dropped == 1)
    }
}
