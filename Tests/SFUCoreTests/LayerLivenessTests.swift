import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Which layers of a simulcast count as still sent.
@Suite struct LayerLivenessTests {
    private static let layers: [(rid: String, ssrc: UInt32)] = [("q", 10), ("h", 11), ("f", 12)]

    /// A publisher whose layers' pictures come within some milliseconds, and which answers each request for a key frame with
    /// its next picture.
    private struct Share {
        let bench = Bench(codec: .vp8)
        var sequences: [UInt32: Int64] = [:]
        /// Layers of which a key frame is wanted.
        private var asked: Set<UInt32> = []
        private var answered = 0
        var switches = 0
        private var layer: Int?

        mutating func capture(at ms: Int, layers: [Int] = [0, 1, 2], order: [Int] = [0, 1, 2]) {
            asked.formUnion(bench.source.requests[answered...])
            answered = bench.source.requests.count
            for (position, index) in order.enumerated() where layers.contains(index) {
                let (rid, ssrc) = LayerLivenessTests.layers[index]
                let sequence = sequences[ssrc, default: 0] + 1
                sequences[ssrc] = sequence
                bench.feed(
                    sequence, timestamp: UInt32(ms * 90),
                    payload: vp8(UInt16(sequence), key: sequence == 1 || asked.remove(ssrc) != nil), ssrc: ssrc,
                    rid: rid,
                    at: milliseconds(ms + position * 7), marker: true)
                if let old = layer, old != bench.consumer.currentLayer { switches += 1 }
                layer = bench.consumer.currentLayer
            }
        }
    }

    /// A minute of a still screen, at some pictures a second: the largest layer all the time.
    @Test(arguments: [500, 990, 1000, 1010, 2000, 5000, 12_000]) func seldomPicturesAreNoSilence(period: Int) {
        var share = Share()
        for step in 0..<10 { share.capture(at: step * 33) }
        share.switches = 0
        let requests = share.bench.source.requests.count
        for step in 1...max(60_000 / period, 5) {
            // Which layer is sent first changes from picture to picture.
            share.capture(at: 300 + step * period, order: step % 2 == 0 ? [0, 1, 2] : [2, 0, 1])
        }
        print("a picture every \(period) ms: \(share.switches) switches,", terminator: " ")
        print("\(share.bench.source.requests.count - requests) requests for key frames")
        #expect(share.switches == 0 && share.bench.source.requests.count == requests)
        #expect(share.bench.consumer.currentLayer == 2)
    }

    /// The larger layers stop: the subscriber goes down, the sooner the more pictures the smaller one has.
    @Test(arguments: [(33, 800), (100, 1200), (1000, 10_000)])
    func whatStopsIsLeft(period: Int, within: Int) {
        var share = Share()
        for step in 0..<30 { share.capture(at: step * period) }
        let stop = 30 * period
        var left: Int?
        for step in 0..<400 where left == nil {
            share.capture(at: stop + step * period, layers: [0])
            if share.bench.consumer.currentLayer == 0 { left = step * period }
        }
        #expect((left ?? .max) <= within, "\(String(describing: left)) ms")
        // And comes back with it.
        for step in 400..<410 { share.capture(at: stop + step * period) }
        #expect(share.bench.consumer.currentLayer == 2)
    }

    /// A layer that is sent seldom by itself is not dead while another one runs.
    @Test func ownRhythmCounts() {
        var share = Share()
        for step in 0..<300 { share.capture(at: step * 33, layers: step % 30 == 0 ? [0, 1, 2] : [0]) }
        share.switches = 0
        for step in 300..<900 { share.capture(at: step * 33, layers: step % 30 == 0 ? [0, 1, 2] : [0]) }
        #expect(share.switches == 0 && share.bench.consumer.currentLayer == 2)
    }
}
