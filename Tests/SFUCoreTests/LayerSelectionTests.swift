import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Recorded streams with layers, forwarded to several consumers with different limits at once.
@Suite struct LayerSelectionTests {
    private struct Case: Sendable {
        var name: String
        var payloadType: UInt8
        var codec: MediaCodec
        var spatialLayers: UInt8
        /// Pictures that the sender itself ended without a marker, for want of its largest layer.
        var unmarked = 0
    }

    private static let cases = [
        Case(name: "vp9-svc", payloadType: 98, codec: .vp9, spatialLayers: 2),
        Case(name: "vp9-l3t3", payloadType: 98, codec: .vp9, spatialLayers: 3, unmarked: 3),
        Case(name: "av1-dd", payloadType: 45, codec: .av1, spatialLayers: 2),
        Case(name: "av1-l1t3", payloadType: 45, codec: .av1, spatialLayers: 1),
    ]

    /// Pictures end in a marker. A layer that is taken up amid the stream may come behind one.
    private func isMarked(_ sink: RecordingSink, _ which: Case) -> Bool {
        sink.markers.missing <= which.unmarked && sink.markers.early <= (which.unmarked > 0 ? 1 : 0)
    }

    /// What each consumer gets is of its layers, whole, and numbered without a hole.
    @Test(arguments: 0..<4) func everyConsumerGetsItsLayers(index: Int) throws {
        let which = Self.cases[index]
        let stream = try RecordedStream(which.name, payloadType: which.payloadType)
        let stage = Stage(which.codec)
        var seats: [(limit: LayerPoint, sink: RecordingSink)] = []
        for spatial in 0..<3 {
            for temporal in 0..<3 {
                let sink = stage.join(layer: spatial, temporal: temporal)
                seats.append((LayerPoint(spatial: spatial, temporal: temporal), sink))
            }
        }
        for packet in stream.packets { stage.feed(packet) }
        for (limit, sink) in seats {
            let told = try sink.decodability()
            #expect(sink.isContinuous, "\(limit)")
            #expect(isMarked(sink, which), "\(limit) \(sink.markers)")
            #expect(told.broken == 0 && told.frames > 15, "\(limit)")
            #expect(told.spatial == Set(0...min(UInt8(limit.spatial), which.spatialLayers - 1)), "\(limit)")
            #expect(told.temporal == Set(0...UInt8(limit.temporal)), "\(limit)")
        }
        // Everything, for those who want it, and a quarter of the pictures for those who want the base alone.
        #expect(seats[8].sink.sent.count == stream.packets.count)
        #expect(seats[8].sink.sent.map(\.payload) == stream.packets.map { Array($0.bytes[$0.received.payload]) })
        let ratio = Double(seats[6].sink.pictures.count) / Double(seats[8].sink.pictures.count)
        #expect((0.2...0.35).contains(ratio))
    }

    /// Limits that change on the way: whatever is sent can be decoded, and the change arrives.
    @Test(arguments: 0..<4) func limitsMayChangeAtAnyPacket(index: Int) throws {
        let which = Self.cases[index]
        let stream = try RecordedStream(which.name, payloadType: which.payloadType)
        for step in stride(from: 10, to: stream.packets.count - 10, by: 23) {
            let stage = Stage(which.codec)
            let down = stage.join()
            let up = stage.join(layer: 0, temporal: 0)
            for (position, packet) in stream.packets.enumerated() {
                if position == step {
                    let now = packet.received.arrival
                    stage.seats[0].consumer.setLayerLimit(0, now: now)
                    stage.seats[0].consumer.setAllocation(LayerPoint(spatial: 7, temporal: 1), now: now)
                    stage.seats[1].consumer.setLayerLimit(2, now: now)
                    stage.seats[1].consumer.setAllocation(.highest, now: now)
                }
                stage.feed(packet)
            }
            for sink in [down, up] {
                #expect(try sink.decodability().broken == 0)
                #expect(sink.isContinuous && isMarked(sink, which))
            }
            #expect(down.sent.count < stream.packets.count)
            #expect(try up.decodability().temporal == [0, 1, 2] || step > stream.packets.count * 3 / 4)
            if which.spatialLayers > 1 { #expect(!stage.source.requests.isEmpty) }
        }
    }

    /// The layers of the recorded simulcast, q, h and f with a key frame each about twice a second.
    @Test func simulcastChangesAtKeyFrames() throws {
        let stream = try RecordedStream("vp8-simulcast", payloadType: 96)
        let stage = Stage(.vp8)
        let sinks = (0..<3).map { stage.join(layer: $0) }
        let changing = stage.join()
        let limits = [2, 0, 1, 2]
        for (position, packet) in stream.packets.enumerated() {
            if position % 60 == 0 {
                stage.seats[3].consumer.setLayerLimit(
                    limits[position / 60 % limits.count], now: packet.received.arrival)
            }
            stage.feed(packet)
        }
        var widths: [Int] = []
        for entry in changing.sent {
            guard let descriptor = descriptor(entry.payload),
                entry.payload.withUnsafeBytes({ descriptor.startsKeyFrame(in: $0.bytes) })
            else { continue }
            let frame = Array(entry.payload.dropFirst(descriptor.encodedLength))
            let width = try VP8FrameHeader(parsing: frame.span.bytes).width
            if widths.last != width { widths.append(width) }
        }
        #expect(Set(widths).count == 3 && widths.count >= 5)
        #expect(changing.isContinuous && changing.markers == (0, 0))
        let pictures = changing.sent.compactMap { descriptor($0.payload)?.pictureID }
        #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $1 == $0 || $1 == ($0 + 1) & 0x7fff })
        let indices = changing.sent.compactMap { descriptor($0.payload)?.tl0PicIdx }
        #expect(zip(indices, indices.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 &+ 1 })
        // Who never changes its mind gets one layer: of the largest none is missing.
        #expect(Set(sinks.map { $0.sent.count }).count == 3)
        let largest = stream.packets.filter { $0.received.extensions.rid == ShortToken("f") }
        #expect(sinks[2].sent.count >= largest.count)
    }

    /// Frame numbers of dependency descriptors go on across sources, like picture ids.
    @Test func frameNumbersGoOnAcrossLayers() throws {
        let stream = try RecordedStream("vp8-simulcast", payloadType: 96)
        let stage = Stage(.vp8)
        let sink = stage.join()
        for (position, packet) in stream.packets.enumerated() {
            if position % 50 == 0 {
                stage.seats[0].consumer.setLayerLimit(position / 50 % 3, now: packet.received.arrival)
            }
            stage.feed(packet)
        }
        let numbers = sink.sent.compactMap { DependencyDescriptor.frameNumber(of: $0.descriptor.span.bytes) }
        #expect(numbers.count == sink.sent.count)
        // The three layers count together, so one layer's frames are a few apart; a change of the layer is one step.
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 &- $0 <= 9 })
        let sources = sink.sent.map { entry in
            stream.packets.first {
                Array($0.bytes[$0.received.payload]).dropFirst(6) == entry.payload.dropFirst(6)[...]
            }
        }
        var changes = 0
        for index in sources.indices.dropFirst()
        where sources[index]?.received.ssrc != sources[index - 1]?.received.ssrc {
            changes += 1
            #expect(numbers[index] == numbers[index - 1] &+ 1)
        }
        #expect(changes >= 4)
    }
}
