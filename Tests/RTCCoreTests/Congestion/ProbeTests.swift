import RTCWire
import Testing

@testable import RTCCore

struct ProbeTests {
    // MARK: What a cluster shows

    /// What thirteen packets of 290 bytes at 1.8 Mbit/s show of a path.
    private func shown(capacity: Double, lost: Set<Int> = []) -> Double? {
        var estimator = ProbeEstimator()
        estimator.expect(ProbeCluster(id: 3, rate: 1_800_000))
        var free = Instant.zero
        var result: Double?
        for number in 0..<13 where !lost.contains(number) {
            let sent = Instant.zero + .seconds(Double(number * 290 * 8) / 1_800_000)
            free = max(free, sent) + .seconds(290 * 8 / capacity)
            var packet = PacketResult(sequence: Int64(number), sent: sent, received: free, size: 290)
            packet.probe = 3
            result = estimator.add(packet) ?? result
        }
        return result
    }

    @Test func aFreePathShowsTheRateOfTheProbe() throws {
        let rate = try #require(shown(capacity: 100_000_000))
        #expect(rate > 1_700_000 && rate <= 1_810_000)
    }

    /// 95 % of what comes through is used.
    @Test(arguments: [300_000.0, 800_000, 1_500_000]) func aNarrowPathShowsItself(_ capacity: Double) throws {
        let rate = try #require(shown(capacity: capacity))
        #expect(abs(rate - 0.95 * capacity) < 0.02 * capacity)
    }

    @Test func aFewLossesDoNotMatterManyDo() {
        #expect(shown(capacity: 5_000_000, lost: [4]) != nil)
        #expect(shown(capacity: 5_000_000, lost: [1, 4, 6, 8]) == nil)
    }

    // MARK: When there is one

    private let start = Instant.zero + .seconds(1)

    private func rates(_ clusters: [ProbeCluster]) -> [Double] { clusters.map(\.rate) }

    /// What is tried where the estimate has become `rate`, and no queue grows.
    private func update(_ controller: inout ProbeController, _ rate: Double, after milliseconds: Int) -> [Double] {
        rates(
            controller.update(rate, acknowledged: 300_000, isOverused: false, now: start + .milliseconds(milliseconds)))
    }

    @Test func theStartTriesThreeAndSixTimes() {
        var controller = ProbeController()
        #expect(controller.begin(300_000, now: start).isEmpty)
        controller.setWanted(5_000_000)
        let first = controller.begin(300_000, now: start)
        #expect(rates(first) == [900_000, 1_800_000] && Set(first.map(\.id)).count == 2)
        #expect(controller.begin(300_000, now: start).isEmpty)
    }

    @Test func whatPassesIsDoubled() {
        var controller = ProbeController()
        controller.setWanted(5_000_000)
        _ = controller.begin(300_000, now: start)
        func update(_ rate: Double, after milliseconds: Int) -> [Double] {
            self.update(&controller, rate, after: milliseconds)
        }
        #expect(update(900_000, after: 100).isEmpty)
        #expect(update(1_700_000, after: 150) == [3_400_000])
        #expect(update(3_300_000, after: 250) == [6_600_000])
        // That was more than anybody wants.
        #expect(update(5_000_000, after: 350).isEmpty)
        #expect(controller.deadline == .distantFuture)
    }

    @Test func nobodyTriesMoreThanIsWanted() {
        var controller = ProbeController()
        controller.setWanted(700_000)
        #expect(rates(controller.begin(300_000, now: start)) == [900_000, 1_050_000])
    }

    /// Every five seconds while more is wanted, and not while a queue grows.
    @Test func moreIsTriedAgain() {
        var controller = ProbeController()
        controller.setWanted(5_000_000)
        _ = controller.begin(300_000, now: start)
        _ = controller.update(300_000, acknowledged: 300_000, isOverused: true, now: start)
        #expect(controller.update(400_000, acknowledged: 400_000, isOverused: false, now: start + .seconds(1)).isEmpty)
        #expect(controller.deadline == start + .seconds(5))
        #expect(rates(controller.advance(to: start + .seconds(5), 400_000)) == [800_000])
        #expect(controller.update(350_000, acknowledged: 400_000, isOverused: true, now: start + .seconds(8)).isEmpty)
        #expect(controller.deadline == start + .seconds(13))
        #expect(controller.advance(to: start + .seconds(12), 350_000).isEmpty)
    }

    /// What the first clusters haven't shown is tried once more after a second: a machine may have stood still meanwhile.
    @Test func theStartIsTriedTwice() {
        var controller = ProbeController()
        controller.setWanted(5_000_000)
        _ = controller.begin(300_000, now: start)
        func update(_ rate: Double, after milliseconds: Int) -> [Double] {
            self.update(&controller, rate, after: milliseconds)
        }
        #expect(update(400_000, after: 900).isEmpty)
        #expect(controller.deadline == start + .seconds(1))
        #expect(update(400_000, after: 1_000) == [800_000])
        #expect(update(410_000, after: 2_000).isEmpty)
        #expect(controller.deadline == start + .seconds(6))
        #expect(update(410_000, after: 6_000) == [820_000])
    }

    /// A deep fall while little was sent is checked.
    @Test func aFallWithoutTrafficIsDoubted() {
        var controller = ProbeController()
        controller.setWanted(5_000_000)
        _ = controller.begin(300_000, now: start)
        _ = controller.update(2_000_000, acknowledged: 500_000, isOverused: false, now: start + .seconds(2))
        _ = controller.update(425_000, acknowledged: 500_000, isOverused: true, now: start + .seconds(3))
        #expect(controller.deadline == start + .seconds(4))
        #expect(rates(controller.advance(to: start + .seconds(4), 425_000)) == [1_700_000])
    }
}
