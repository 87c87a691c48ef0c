import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Opus whose publisher sends no copies, to subscribers that lose some of it (RFC 2198).
@Suite struct SoundCopiesTests {
    private let producer = TestProducer(
        ProducerConfiguration(
            codec: .opus, payloads: ProducerPayloads(primary: 111, redundancy: 63, events: 126), clockRate: 48_000),
        source: RecordingSource())

    private func join(red: UInt8? = 64, isEncrypted: Bool = false) -> (consumer: TestConsumer, sink: RecordingSink) {
        let sink = RecordingSink()
        var configuration = ConsumerConfiguration(
            ssrc: 1, payloadType: 100, redundancyPayloadType: red, firstSequence: 10, firstRTXSequence: 0)
        configuration.isEncrypted = isEncrypted
        let consumer = TestConsumer(configuration, producer: producer, sink: sink)
        consumer.start(now: .zero)
        return (consumer, sink)
    }

    private func time(_ index: Int) -> Instant { .zero + .milliseconds(20 * index) }

    private func frame(_ index: Int, length: Int = 60) -> [UInt8] {
        [0x78] + (1..<length).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
    }

    private func feed(_ index: Int, _ payload: [UInt8]? = nil, type: UInt8 = 111, timestamp: Int? = nil) {
        let payload = payload ?? frame(index)
        let header = RTPHeader(
            marker: false, payloadType: type, sequenceNumber: UInt16(truncatingIfNeeded: 500 + index),
            timestamp: UInt32(truncatingIfNeeded: (timestamp ?? index * 960) - 5_000), ssrc: 5)
        let received = ReceivedRTP(
            header: header, extensions: RTPExtensions(), line: 0, payload: 0..<payload.count,
            sequence: Int64(500 + index), isRetransmission: false, arrival: time(index))
        payload.withUnsafeBytes { producer.receive(received, in: $0) }
    }

    private func report(_ loss: Double, of consumer: TestConsumer, most: Int = 2, at index: Int = 0) {
        // The first report alone is worth one copy.
        for _ in 0..<2 {
            producer.room.perform { room, _ in
                room.note(loss: loss, mostCopies: most, consumer.id, now: time(index))
            }
        }
    }

    /// The frames in what was sent: of which packet they are, and how much older than it.
    private func frames(_ sent: RecordingSink.Sent) throws -> [(index: Int, age: UInt32)] {
        guard sent.packet.payloadType == 64 else {
            #expect(sent.packet.payloadType == 100)
            return [(index(of: sent.payload), 0)]
        }
        let red = try RedundantAudio(parsing: sent.payload.span.bytes)
        return (0...red.copies).compactMap { number in
            guard let block = red.block(number, in: sent.payload.span.bytes) else { return nil }
            #expect(block.payloadType == 100)
            return (index(of: Array(sent.payload[block.range])), block.timestampOffset)
        }
    }

    private func index(of payload: [UInt8]) -> Int {
        (0..<500).first { frame($0, length: payload.count) == payload } ?? -1
    }

    @Test func whoLosesMuchGetsCopiesOfTheTwoFramesBefore() throws {
        let (losing, few, whole) = (join(), join(), join())
        for index in 0..<3 { feed(index) }
        report(0.3, of: losing.consumer)
        report(0.08, of: few.consumer)
        report(0.02, of: whole.consumer)
        for index in 3..<6 { feed(index) }
        let all = try losing.sink.sent.map { try frames($0) }
        #expect(all.map { $0.map(\.index) } == [[0], [1], [2], [1, 2, 3], [2, 3, 4], [3, 4, 5]])
        #expect(all.dropFirst(3).allSatisfy { $0.map(\.age) == [1_920, 960, 0] })
        #expect(try few.sink.sent.map { try frames($0).map(\.index) } == [[0], [1], [2], [2, 3], [3, 4], [4, 5]])
        #expect(try whole.sink.sent.allSatisfy { try frames($0).count == 1 })
        #expect(losing.sink.sequences == whole.sink.sequences && losing.sink.sequences.first == 10)
        #expect(losing.sink.sent.map(\.packet.timestamp) == whole.sink.sent.map(\.packet.timestamp))
        // What has left is what is counted.
        #expect(losing.consumer.sent.bytes == losing.sink.sent.reduce(0) { $0 + $1.payload.count })
    }

    @Test func theWayMayHaveRoomForNone() throws {
        let (consumer, sink) = join()
        report(0.3, of: consumer, most: 0)
        for index in 0..<4 { feed(index) }
        report(0.3, of: consumer, most: 1)
        for index in 4..<6 { feed(index) }
        #expect(try sink.sent.map { try frames($0).count } == [1, 1, 1, 1, 2, 2])
    }

    @Test func theyEndTenSecondsAfterTheLosses() throws {
        let (consumer, sink) = join()
        report(0.2, of: consumer)
        for second in 1..<40 { report(0, of: consumer, at: second * 50) }
        for index in 0..<3 { feed(index) }
        #expect(try sink.sent.allSatisfy { try frames($0).count == 1 })
    }

    /// Receivers count the numbers back from a packet's own: a copy is of the number just before, or it isn't there.
    @Test func aHoleEndsTheRowOfCopies() throws {
        let (consumer, sink) = join()
        report(0.3, of: consumer)
        for index in [0, 1, 3, 4, 5, 2, 6] { feed(index) }
        #expect(
            try sink.sent.map { try frames($0).map(\.index) }
                == [[0], [0, 1], [3], [3, 4], [3, 4, 5], [2], [4, 5, 6]])
    }

    @Test func tonesAndPausesEndIt() throws {
        let (consumer, sink) = join()
        report(0.3, of: consumer)
        for index in 0..<2 { feed(index) }
        feed(2, [1, 2, 3, 4], type: 126)
        for index in 3..<5 { feed(index) }
        #expect(try sink.sent.map { try frames($0).map(\.index) } == [[0], [0, 1], [3], [3, 4]])
        // The sender was silent for half a second: an offset of 14 bits doesn't reach back to what was before.
        feed(5, timestamp: 4 * 960 + 24_000)
        #expect(try frames(#require(sink.sent.last)).map(\.index) == [5])
        producer.setMuted(true, now: time(6))
        producer.setMuted(false, now: time(7))
        feed(6)
        #expect(try frames(#require(sink.sent.last)).map(\.index) == [6])
    }

    @Test func whatIsTooLongIsNotCopied() throws {
        let (consumer, sink) = join()
        report(0.3, of: consumer)
        for (index, length) in [60, 481, 60, 480, 480, 480].enumerated() { feed(index, frame(index, length: length)) }
        // Packets stay below 1,150 bytes.
        #expect(try sink.sent.map { try frames($0).map(\.index) } == [[0], [0, 1], [2], [2, 3], [2, 3, 4], [4, 5]])
        #expect(sink.sent.allSatisfy { $0.payload.count <= 1_150 })
    }

    @Test func onlyWhoKnowsThemGetsThem() throws {
        let (plain, encrypted) = (join(red: nil), join(isEncrypted: true))
        for (consumer, _) in [plain, encrypted] { report(0.5, of: consumer) }
        for index in 0..<3 { feed(index) }
        for (_, sink) in [plain, encrypted] { #expect(sink.sent.map(\.payload) == (0..<3).map { frame($0) }) }
    }

    /// A publisher that sends copies itself has chosen how many.
    @Test func copiesOfThePublishersOwnStay() throws {
        let (consumer, sink) = join()
        report(0.5, of: consumer)
        for index in 0..<3 { feed(index, [111] + frame(index), type: 63) }
        #expect(sink.sent.map(\.payload) == (0..<3).map { [111] + frame($0) })
    }
}
