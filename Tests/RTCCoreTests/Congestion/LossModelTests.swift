import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// The model of losses, fed by a path that it doesn't know.
@Suite struct LossModelTests {
    /// A path with a share of losses of its own and a rate beyond which the rest is lost, and a sender that keeps to what
    /// the model allows.
    private struct LossyPath {
        var model = LossModel()
        let inherent: Double
        let capacity: Double
        var random: SeededGenerator
        var now = Instant.zero + .seconds(1)
        private var sequence: Int64 = 0

        init(inherent: Double, capacity: Double, seed: UInt64 = 1) {
            self.inherent = inherent
            self.capacity = capacity
            random = SeededGenerator(seed: seed)
        }

        /// Feedback every 100 ms; what is sent follows the limit, what delay allows is `delayBased`.
        mutating func run(seconds: Double, delayBased: Double) {
            for _ in 0..<Int(seconds * 10) {
                let rate = min(model.limit, delayBased)
                let lost = inherent + (1 - inherent) * max(0, 1 - capacity / rate)
                var results: [PacketResult] = []
                let count = max(1, Int(rate / 8 / 1000 / 10))
                for packet in 0..<count {
                    let sent = now + .milliseconds(100) * packet * (1 / Double(count))
                    let isLost = SeededGenerator.unit(random.next()) < lost
                    results.append(
                        PacketResult(sequence: sequence, sent: sent, received: isLost ? nil : sent, size: 1000))
                    sequence += 1
                }
                now = now + .milliseconds(100)
                let arrived = Double(results.count { $0.received != nil } * 80_000)
                model.update(results, delayBased: delayBased, acknowledged: arrived, bounds: 50_000...30_000_000)
            }
        }
    }

    @Test func withoutLossNothingIsLimited() {
        var path = LossyPath(inherent: 0, capacity: .infinity)
        path.run(seconds: 20, delayBased: 1_000_000)
        #expect(path.model.limit == .infinity && path.model.loss == 0)
    }

    /// A radio link that loses some percent whatever is sent is not a full one.
    @Test(arguments: [1, 2, 3] as [UInt64]) func lossOfThePathsOwnLimitsNothing(_ seed: UInt64) {
        var path = LossyPath(inherent: 0.04, capacity: .infinity, seed: seed)
        path.run(seconds: 30, delayBased: 1_000_000)
        #expect(min(path.model.limit, 1_000_000) > 800_000, "\(path.model.limit)")
    }

    /// Where what exceeds the path is dropped without a queue, losses alone tell.
    @Test(arguments: [1, 2, 3] as [UInt64]) func lossByTooMuchLimits(_ seed: UInt64) {
        var path = LossyPath(inherent: 0.005, capacity: 500_000, seed: seed)
        path.run(seconds: 20, delayBased: 2_000_000)
        #expect((400_000...650_000).contains(path.model.limit), "\(path.model.limit)")
    }

    @Test(arguments: [1, 2] as [UInt64]) func aGreatLossCutsDeep(_ seed: UInt64) {
        var path = LossyPath(inherent: 0.3, capacity: .infinity, seed: seed)
        path.run(seconds: 10, delayBased: 2_000_000)
        // 75 kbit/s over what is lost above 5 %.
        #expect(path.model.limit < 500_000, "\(path.model.limit)")
    }

    /// Whatever is lost, a path that delivers so much bears it.
    @Test func whatArrivesIsNotTooMuch() {
        var model = LossModel()
        var known = LossModel()
        var now = Instant.zero
        for feedback in 0..<40 {
            // Each fifth packet is lost; 800 of 1,000 kbit/s arrive.
            let results = (0..<25).map { packet in
                let sent = now + .milliseconds(10) * packet
                return PacketResult(
                    sequence: Int64(25 * feedback + packet), sent: sent, received: packet % 5 == 4 ? nil : sent,
                    size: 1250)
            }
            now = now + .milliseconds(250)
            model.update(results, delayBased: 1_500_000, acknowledged: nil, bounds: 50_000...30_000_000)
            known.update(
                results, delayBased: 1_500_000, acknowledged: nil, delivered: 800_000, bounds: 50_000...30_000_000)
        }
        #expect(model.limit < 600_000, "\(model.limit)")
        #expect((800_000...1_000_000).contains(known.limit), "\(known.limit)")
        // No more than the delay allows: then losses limit nothing.
        known.update(
            [PacketResult(sequence: 2000, sent: now + .seconds(1), received: now, size: 1250)], delayBased: 300_000,
            acknowledged: nil, delivered: 800_000, bounds: 50_000...30_000_000)
        #expect(known.limit == .infinity)
    }

    @Test func itRecoversWhenLossEnds() {
        var path = LossyPath(inherent: 0.3, capacity: .infinity, seed: 5)
        path.run(seconds: 10, delayBased: 2_000_000)
        var after = LossyPath(inherent: 0, capacity: .infinity, seed: 5)
        after.model = path.model
        after.now = path.now
        after.run(seconds: 20, delayBased: 2_000_000)
        #expect(min(after.model.limit, 2_000_000) > 1_500_000, "\(after.model.limit)")
    }

    @Test func fewObservationsSayNothing() {
        var path = LossyPath(inherent: 0.5, capacity: .infinity)
        path.run(seconds: 0.5, delayBased: 1_000_000)
        #expect(path.model.limit == .infinity)
    }
}
