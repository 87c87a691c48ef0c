import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Newcomers, muting, picture rates and layers without LiveKit's names.
@Suite struct VideoWishTests {
    private func picture(_ id: UInt16, layer: UInt8, sync: Bool = false, key: Bool = false, tl0: UInt8 = 0) -> [UInt8] {
        var descriptor = VP8PayloadDescriptor()
        descriptor.startsPartition = true
        descriptor.pictureID = id
        descriptor.tl0PicIdx = tl0
        descriptor.temporalID = layer
        descriptor.isLayerSync = sync
        return written(descriptor) + [key ? 0x10 : 0x11, 0, 3]
    }

    private func written(_ descriptor: VP8PayloadDescriptor) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: descriptor.encodedLength)
        _ = bytes.withUnsafeMutableBytes { descriptor.write(into: $0) }
        return bytes
    }

    /// Thirty pictures a second in the pattern 0 2 1 2, each higher one in sync.
    private func feed(_ bench: Bench, from first: Int, count: Int) {
        for step in first..<(first + count) {
            let layer: UInt8 = [0, 2, 1, 2][step % 4]
            bench.feed(
                Int64(step), timestamp: UInt32(step) * 3000,
                payload: picture(
                    UInt16(step), layer: layer, sync: layer > 0, key: step == 0, tl0: UInt8(step / 4 & 255)),
                at: milliseconds(step * 1000 / 30), marker: true)
        }
    }

    @Test func pictureRateChoosesTheTemporalLayer() {
        let bench = Bench(codec: .vp8)
        feed(bench, from: 0, count: 60)
        #expect(bench.sink.sent.count == 60)
        bench.consumer.setFrameRateLimit(15, now: milliseconds(2000))
        bench.sink.sent = []
        feed(bench, from: 60, count: 60)
        #expect(bench.sink.sent.count == 30)
        bench.consumer.setFrameRateLimit(5, now: milliseconds(4000))
        feed(bench, from: 120, count: 60)
        #expect(bench.sink.sent.count == 45)
        // No number and no picture id is missing, so that no decoder waits.
        let sequences = bench.sink.sequences
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        let pictures = bench.sink.sent.compactMap { descriptor($0.payload)?.pictureID }
        #expect(pictures == Array(60..<105))
        bench.consumer.setFrameRateLimit(nil, now: milliseconds(6000))
        bench.sink.sent = []
        feed(bench, from: 180, count: 60)
        #expect(bench.sink.sent.count >= 57)
        #expect(bench.consumer.currentTemporalLayer == 2)
    }

    @Test func whatIsLeftOutAndAskedForIsSentEmpty() throws {
        let bench = Bench(codec: .vp8)
        bench.consumer.setAllocation(LayerPoint(spatial: 7, temporal: 0), now: .zero)
        feed(bench, from: 0, count: 5)
        // A picture of layer 2 was lost on its way here; it comes when a later one has been numbered.
        bench.feed(6, timestamp: 18_000, payload: picture(6, layer: 0), marker: true)
        bench.feed(5, timestamp: 15_000, payload: picture(5, layer: 2), marker: true)
        #expect(bench.sink.sequences == [100, 101, 103, 102])
        #expect(bench.sink.sent[3].payload.isEmpty)
        bench.sink.sent = []
        bench.consumer.resend([102], now: milliseconds(200), spacing: .zero)
        #expect(bench.sink.sent.map(\.payload) == [[0, 102]])
    }

    @Test func newcomersBeginWithTheLastKeyFrame() throws {
        let bench = Bench(codec: .vp8)
        feed(bench, from: 0, count: 20)
        let requests = bench.source.requests.count
        let sink = RecordingSink()
        let late = TestConsumer(
            ConsumerConfiguration(ssrc: 9, payloadType: 1, firstSequence: 500, firstRTXSequence: 0),
            producer: bench.producer, sink: sink)
        late.start(now: milliseconds(700))
        #expect(sink.sent.map(\.payload) == bench.sink.sent.map(\.payload))
        #expect(sink.sequences == Array(500..<520))
        #expect(bench.source.requests.count == requests)
        feed(bench, from: 20, count: 1)
        #expect(sink.sent.count == 21)
        // Too long ago: a new one is asked for.
        let later = RecordingSink()
        let last = TestConsumer(
            ConsumerConfiguration(ssrc: 10, payloadType: 1, firstSequence: 500, firstRTXSequence: 0),
            producer: bench.producer, sink: later)
        last.start(now: milliseconds(2500))
        #expect(later.sent.isEmpty && bench.source.requests.count == requests + 1)
    }

    @Test func mutingStopsAndGoesOnWithAKeyFrame() throws {
        let bench = Bench(codec: .vp8)
        feed(bench, from: 0, count: 8)
        bench.sink.sent = []
        bench.producer.setMuted(true, now: milliseconds(270))
        feed(bench, from: 8, count: 4)
        #expect(bench.sink.sent.isEmpty)
        let requests = bench.source.requests.count
        bench.producer.setMuted(false, now: milliseconds(500))
        #expect(bench.source.requests.count == requests + 1)
        feed(bench, from: 12, count: 2)
        #expect(bench.sink.sent.isEmpty)
        bench.feed(14, timestamp: 42_000, payload: picture(14, layer: 0, key: true), at: milliseconds(560))
        #expect(bench.sink.sequences == [108])
        #expect(descriptor(bench.sink.sent[0].payload)?.pictureID == 8)
    }

    @Test func theLastPicturesAreBlack() throws {
        let bench = Bench(codec: .vp8)
        feed(bench, from: 0, count: 8)
        bench.sink.sent = []
        #expect(bench.consumer.end(now: milliseconds(270)))
        while !bench.sink.wakes.isEmpty { bench.consumer.fill(now: bench.sink.wakes.removeFirst()) }
        #expect(bench.sink.sent.count == 6)
        for (index, entry) in bench.sink.sent.enumerated() {
            let head = try #require(descriptor(entry.payload))
            let frame = Array(entry.payload.dropFirst(head.encodedLength))
            let header = try VP8FrameHeader(parsing: frame.span.bytes)
            #expect(header.isKeyFrame && header.width == 8 && header.height == 8 && entry.packet.marker)
            #expect(head.pictureID == UInt16(8 + index) && entry.packet.sequenceNumber == UInt16(108 + index))
        }
        // What we made ourselves is in no ring.
        bench.sink.sent = []
        bench.consumer.resend([110], now: milliseconds(600), spacing: .zero)
        #expect(bench.sink.sent.isEmpty)
    }

    @Test func sourcesOfAGroupAndCountingNamesAreOrdered() {
        var published = ProducerConfiguration(codec: .vp8, clockRate: 90_000)
        published.simulcastSources = [30, 20, 10]
        let grouped = Bench(
            published, ConsumerConfiguration(ssrc: 7, payloadType: 120, firstSequence: 100, firstRTXSequence: 5))
        for ssrc: UInt32 in [10, 20, 30] { grouped.feed(1, timestamp: 0, payload: vp8(1, key: true), ssrc: ssrc) }
        #expect(grouped.producer.layers.map(\.ssrc) == [30, 20, 10])
        // Counted from the largest on, as some senders do: the pictures' sizes tell.
        let counted = Bench(codec: .vp8)
        for (rid, width) in [("0", 1280), ("1", 640), ("2", 320)] {
            var payload = Array(vp8(1, key: true).dropLast(3))
            payload += [0x10, 0, 0, 0x9d, 0x01, 0x2a, UInt8(width & 255), UInt8(width >> 8), 0x68, 0x01]
            counted.feed(1, timestamp: 0, payload: payload, ssrc: UInt32(width), rid: rid)
        }
        #expect(counted.producer.layers.map(\.ssrc) == [320, 640, 1280])
        #expect(counted.producer.layers.map(\.rank) == [0, 1, 2])
    }
}
