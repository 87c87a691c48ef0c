import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Bandwidth chooses temporal layers, not pictures alone.
@Suite struct TemporalAllocationTests {
    /// One stream of VP8 in the pattern 0 2 1 2 at 32 pictures a second, about 320 kbit/s, with a quarter of the bytes in
    /// each of the first two layers and half in the third; shared out four times a second as a room does.
    private struct Call {
        let bench = Bench(codec: .vp8)
        var rates = LayerRates()
        var capacity: Int?
        private var step = 0

        mutating func run(seconds: Int) -> (pictures: Int, bytes: Int, temporal: Set<UInt8>) {
            bench.sink.sent = []
            for _ in 0..<(seconds * 32) { tick() }
            let heads = bench.sink.sent.compactMap { descriptor($0.payload) }
            return (
                heads.count, bench.sink.sent.reduce(0) { $0 + $1.payload.count }, Set(heads.compactMap(\.temporalID))
            )
        }

        private mutating func tick() {
            let now = milliseconds(step * 1000 / 32)
            let layer: UInt8 = [0, 2, 1, 2][step % 4]
            var head = VP8PayloadDescriptor()
            head.startsPartition = true
            head.pictureID = UInt16(step & 0x7fff)
            head.tl0PicIdx = UInt8(step / 4 & 255)
            head.temporalID = layer
            head.isLayerSync = layer > 0
            var bytes = [UInt8](repeating: 7, count: head.encodedLength)
            _ = bytes.withUnsafeMutableBytes { head.write(into: $0) }
            bytes += [step == 0 ? 0x10 : 0x11] + [UInt8](repeating: 7, count: 1244 - bytes.count)
            bench.feed(Int64(step), timestamp: UInt32(step) * 2812, payload: bytes, at: now, marker: true)
            step += 1
            guard step % 8 == 0, let stream = bench.producer.liveLayers(now).first else { return }
            rates.update(stream.layerBytes, now: now)
            let demand = VideoDemand(
                track: "a", priority: 1, wanted: 2, layers: rates.choices(rank: stream.rank, isSmallest: true))
            let allocation = BitrateAllocation([demand], capacity: capacity, mayPause: false)
            if case .upTo(let point) = allocation.shares["a"] { bench.consumer.setAllocation(point, now: now) }
        }
    }

    @Test(arguments: [(nil, 1, 3), (250_000, 2, 2), (120_000, 4, 1), (10_000, 4, 1), (400_000, 1, 3)])
    func thePictureRateFollowsTheRoom(capacity: Int?, share: Int, layers: Int) {
        var call = Call()
        _ = call.run(seconds: 4)
        call.capacity = capacity
        _ = call.run(seconds: 1)
        let requests = call.bench.source.requests.count
        let (pictures, bytes, temporal) = call.run(seconds: 4)
        print("\(capacity.map(String.init) ?? "no limit"): \(pictures / 4) pictures, \(bytes * 2) bit/s")
        #expect(pictures == 128 / share && temporal.count == layers)
        #expect(call.bench.source.requests.count == requests, "no key frame is needed for it")
        #expect(call.bench.sink.isContinuous)
        // And back with the room.
        call.capacity = nil
        _ = call.run(seconds: 1)
        #expect(call.run(seconds: 2).pictures == 64)
    }

    private func rates(_ layers: [(spatial: UInt8, temporal: UInt8, bytes: Int)]) throws -> LayerRates {
        let bench = Bench(codec: .vp9)
        var rates = LayerRates()
        var sequence: Int64 = 0
        for second in 0..<20 {
            for (spatial, temporal, bytes) in layers {
                // One second's bytes of a layer in one packet: I 0, L 1, F 0.
                let descriptor: [UInt8] = [0x20 | 0x08, temporal << 5 | spatial << 1, 0]
                let payload = descriptor + [UInt8](repeating: 0, count: bytes - descriptor.count)
                bench.feed(
                    sequence, timestamp: UInt32(second) * 90_000, payload: payload, at: milliseconds(second * 1000))
                sequence += 1
            }
            let layer = try #require(bench.producer.layers.first)
            rates.update(layer.layerBytes, now: milliseconds(second * 1000))
        }
        return rates
    }

    /// Layers within one stream are choices, too: larger pictures at half of their rate at least.
    @Test func spatialLayersOfOneStreamAreChoices() throws {
        let rates = try rates([
            (0, 0, 1000), (0, 1, 1000), (0, 2, 2000), (1, 0, 3000), (1, 1, 3000), (1, 2, 6000),
        ])
        let choices = rates.choices(rank: 0, isSmallest: true)
        #expect(choices.map(\.rank) == [0, 0, 0, 1, 1])
        #expect(choices.map(\.temporal) == [0, 1, 7, 1, 7])
        let expected = [8, 16, 32, 64, 128].map { $0 * 1000 }
        for (choice, bitrate) in zip(choices, expected) { #expect(abs(choice.bitrate - bitrate) < bitrate / 20) }
    }

    @Test func aStreamWithoutLayersIsOneChoice() throws {
        let choices = try rates([(0, 0, 1000)]).choices(rank: 1, isSmallest: false)
        #expect(choices.map(\.point) == [LayerPoint(spatial: 1, temporal: 7)])
    }

    /// Of a simulcast: the small picture's rate first, then the larger picture at half of its rate, then all of it.
    @Test(arguments: [
        (50_000, 0, 0), (100_000, 0, 1), (160_000, 0, 7), (300_000, 1, 1), (450_000, 1, 7), (1_100_000, 2, 1),
        (1_700_000, 2, 7),
    ])
    func simulcastGoesUpByBoth(capacity: Int, rank: Int, temporal: Int) {
        let layers = [
            VideoDemand.Layer(rank: 0, temporal: 0, bitrate: 60_000), .init(rank: 0, temporal: 1, bitrate: 100_000),
            .init(rank: 0, bitrate: 160_000), .init(rank: 1, temporal: 1, bitrate: 300_000),
            .init(rank: 1, bitrate: 450_000), .init(rank: 2, temporal: 1, bitrate: 1_100_000),
            .init(rank: 2, bitrate: 1_700_000),
        ]
        let demand = VideoDemand(track: "a", priority: 1, wanted: 2, layers: layers)
        let allocation = BitrateAllocation([demand], capacity: capacity, mayPause: false)
        #expect(allocation.shares == ["a": .upTo(LayerPoint(spatial: rank, temporal: temporal))])
        #expect(allocation.cost <= max(capacity, 60_000))
    }

    /// A larger picture that costs less than a smaller one at its full rate takes its place.
    @Test func whatIsBetterAndCheaperLeavesNoChoice() {
        let layers = [
            VideoDemand.Layer(rank: 0, temporal: 0, bitrate: 80_000), .init(rank: 0, bitrate: 160_000),
            .init(rank: 1, temporal: 1, bitrate: 120_000), .init(rank: 1, bitrate: 200_000),
        ]
        let demand = VideoDemand(track: "a", priority: 1, wanted: 2, layers: layers)
        #expect(demand.choices.map(\.bitrate) == [80_000, 120_000, 200_000])
    }
}
