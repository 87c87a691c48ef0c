import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// The room as a whole: who is in it, who goes, and what the clock brings.
@Suite struct ForwardingRoomTests {
    private static let configuration = ConsumerConfiguration(
        ssrc: 7, payloadType: 120, rtxSSRC: 8, rtxPayloadType: 121, firstSequence: 100, firstRTXSequence: 5)

    @Test func producersDoNotHearOneAnother() {
        let room = RecordedRoom()
        let source = RecordingSource()
        let published = ProducerConfiguration(codec: .opus, clockRate: 48_000)
        let producers = (0..<3).map { _ in TestProducer(published, source: source, in: room) }
        let sinks = producers.map { producer in
            let sink = RecordingSink()
            TestConsumer(Self.configuration, producer: producer, sink: sink).start(now: .zero)
            return sink
        }
        for (index, producer) in producers.enumerated() { feed(producer, 1, [UInt8(index)]) }
        #expect(sinks.map { $0.sent.map(\.payload) } == [[[0]], [[1]], [[2]]])
    }

    private func feed(_ producer: TestProducer, _ sequence: Int64, _ payload: [UInt8], ssrc: UInt32 = 1) {
        let header = RTPHeader(
            marker: false, payloadType: 96, sequenceNumber: UInt16(sequence), timestamp: UInt32(sequence) * 960,
            ssrc: ssrc)
        let received = ReceivedRTP(
            header: header, extensions: RTPExtensions(), line: 0, payload: 0..<payload.count, sequence: sequence,
            isRetransmission: false, arrival: milliseconds(Int(sequence) * 20))
        payload.withUnsafeBytes { producer.receive(received, in: $0) }
    }

    @Test func whoHasGoneIsNamedByNoHandle() {
        let bench = Bench(codec: .opus)
        bench.feed(1, timestamp: 0, payload: [1])
        bench.consumer.stop()
        // The next one has the place, not the wishes and requests of the one before.
        let sink = RecordingSink()
        let next = TestConsumer(Self.configuration, producer: bench.producer, sink: sink)
        next.start(now: .zero)
        bench.consumer.setPaused(true, now: .zero)
        bench.consumer.stop()
        bench.feed(2, timestamp: 960, payload: [2])
        #expect(bench.sink.sent.map(\.payload) == [[1]] && sink.sent.map(\.payload) == [[2]])
        #expect(bench.consumer.sent == (0, 0) && next.sent == (1, 1))
        bench.producer.close()
        bench.feed(3, timestamp: 1920, payload: [3])
        #expect(sink.sent.count == 1)
        let late = TestConsumer(Self.configuration, producer: bench.producer, sink: sink)
        late.start(now: .zero)
        #expect(late.senderReport(now: .zero) == nil && bench.producer.layers.isEmpty)
    }

    /// A track ends, and the black pictures come all the same.
    @Test func consumersOutliveTheirProducer() {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 90_000, payload: vp8(500, key: true), at: .zero)
        bench.producer.close()
        #expect(bench.consumer.end(now: milliseconds(10)))
        while bench.producer.room.nextDeadline != .distantFuture {
            bench.consumer.fill(now: bench.producer.room.nextDeadline)
        }
        #expect(bench.sink.sent.count == 7)
        #expect(bench.producer.room.ended == [bench.consumer.id])
        let before = bench.statistics
        bench.consumer.stop()
        #expect(bench.statistics == before && before.packetsForwarded == 1, "what has been counted stays counted")
    }

    @Test func nothingIsDueBeforeItsTime() {
        let bench = Bench(codec: .opus)
        bench.feed(1, timestamp: 0, payload: [1])
        bench.consumer.fill(now: milliseconds(5))
        #expect(bench.producer.room.nextDeadline == .distantFuture && bench.sink.sent.count == 1)
        bench.producer.setMuted(true, now: milliseconds(20))
        #expect(bench.producer.room.nextDeadline == milliseconds(40))
        bench.consumer.fill(now: milliseconds(39))
        #expect(bench.sink.sent.count == 3)
        bench.consumer.fill(now: milliseconds(40))
        #expect(bench.sink.sent.count == 4 && bench.producer.room.nextDeadline == milliseconds(60))
        bench.consumer.stop()
        bench.consumer.fill(now: milliseconds(60))
        #expect(bench.sink.sent.count == 4 && bench.producer.room.nextDeadline == .distantFuture)
    }

    /// A connection that takes nothing: no counter moves for it, and no number is lost.
    @Test func refusedCopiesCountForNothing() {
        let bench = Bench(codec: .vp8)
        for step: Int64 in 0..<10 {
            bench.feed(step, timestamp: UInt32(step) * 3000, payload: vp8(UInt16(step), key: step == 0))
        }
        bench.sink.accepts = false
        bench.feed(10, timestamp: 30_000, payload: vp8(10))
        bench.consumer.resend([103], now: milliseconds(50), spacing: .zero)
        #expect(bench.statistics.packetsForwarded == 10 && bench.statistics.dropped == 1)
        #expect(bench.statistics.retransmissions == 0 && bench.consumer.sent.packets == 10)
        bench.sink.accepts = true
        bench.sink.sent = []
        bench.consumer.resend([104], now: milliseconds(60), spacing: .zero)
        #expect(bench.sink.sequences == [5], "the first of the retransmission stream's numbers is still to be had")
    }

    /// A publisher that begins anew again and again: the latest beginnings are kept, not all of them.
    @Test func sourcesThatWereReplacedAreForgottenInTime() {
        let bench = Bench(codec: .vp8)
        for source in UInt32(1)...8 {
            for step: Int64 in 0..<2 {
                bench.feed(
                    step, timestamp: source * 9000 + UInt32(step) * 3000, payload: vp8(UInt16(source), key: step == 0),
                    ssrc: source, at: milliseconds(Int(source) * 100))
            }
        }
        #expect(bench.sink.sequences == Array(100..<116) && bench.producer.layers.map(\.ssrc) == [8])
        bench.sink.sent = []
        bench.consumer.resend(Array(100..<116), now: milliseconds(900), spacing: .zero)
        #expect(bench.sink.sent.map { $0.payload[1] } == Array(106..<116))
        #expect(bench.statistics.retransmissionMisses == 6)
    }

    @Test func theRoomBoundsPlayoutInPlaceOfThePublisher() {
        var configuration = Self.configuration
        configuration.playoutDelay = PlayoutDelay(minimum: 10, maximum: 20)
        let bench = Bench(codec: .opus, configuration)
        for step: Int64 in 0..<102 { bench.feed(step, timestamp: UInt32(step) * 960, payload: [1]) }
        let delays = bench.sink.sent.map(\.packet.extensions.playoutDelay)
        // Sound may begin anywhere, so each of its packets is as good as a key frame.
        #expect(delays.allSatisfy { $0 == configuration.playoutDelay })
        let video = Bench(codec: .vp8, configuration)
        for step: Int64 in 0..<102 {
            video.feed(step, timestamp: UInt32(step) * 3000, payload: vp8(UInt16(step), key: step == 0))
        }
        #expect(video.sink.sent.map { $0.packet.extensions.playoutDelay != nil }.firstIndex(of: false) == 100)
    }
}
