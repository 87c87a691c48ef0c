import RTCWire
import Testing

@testable import MediaCore

/// Frames at 30 a second through a network made by a seed: where each is shown, and how evenly.
@Suite struct RenderTimingTests {
    /// What came of a run, without its first two seconds.
    private struct Outcome {
        var frames = 0
        /// Frames that came after they were due.
        var late = 0
        /// From arrival to showing, ms, where positive.
        var waits: [Double] = []
        /// Intervals between showings, ms.
        var intervals: [Double] = []
        var timing: RenderTiming

        var lateShare: Double { Double(late) / Double(max(frames, 1)) }
        var meanWait: Double { waits.reduce(0, +) / Double(max(waits.count, 1)) }
        var deviation: Double {
            let mean = intervals.reduce(0, +) / Double(max(intervals.count, 1))
            let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return (squares / Double(max(intervals.count, 1))).squareRoot()
        }
    }

    /// - Parameters:
    ///   - transit: ms under way of frame `n`, by the generator.
    ///   - drift: of the sender's clock, parts per million.
    private func run(
        frames: Int, bounds: RenderDelayBounds = .init(), drift: Double = 0, sizes: (Int) -> Int = { _ in 3_000 },
        repaired: (Int) -> Bool = { _ in false }, seed: UInt64 = 7,
        transit: (Int, inout SeededGenerator) -> Double
    ) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var result = Outcome(timing: RenderTiming(bounds: bounds))
        var (shown, ready): (Instant?, Instant) = (nil, .zero)
        for frame in 0..<frames {
            let sent = 1_000 + Double(frame) * 1_000 / 30
            let arrival = Instant.zero + .seconds((sent + transit(frame, &generator)) / 1_000)
            // None can be decoded before those it refers to.
            ready = max(ready, arrival)
            let ticks = Double(frame) * 3_000 * (1 + drift / 1e6)
            let due = result.timing.due(
                timestamp: UInt32(truncatingIfNeeded: 4_294_900_000 + Int64(ticks)), arrival: arrival, ready: ready,
                bytes: sizes(frame), isRepaired: repaired(frame))
            let moment = max(due, ready)
            defer { shown = moment }
            guard frame >= 60, let shown else { continue }
            result.frames += 1
            if ready > due { result.late += 1 }
            result.waits.append((moment - arrival).milliseconds)
            result.intervals.append((moment - shown).milliseconds)
        }
        return result
    }

    @Test func aCleanWayCostsTheDisplayAlone() {
        let outcome = run(frames: 900) { _, _ in 20 }
        #expect(outcome.late == 0)
        #expect(outcome.meanWait < 12, "\(outcome.meanWait)")
        #expect(outcome.deviation < 0.1)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func jitterIsWaitedFor(seed: UInt64) {
        let outcome = run(frames: 3_600, seed: seed) { _, generator in 50 + generator.unit() * 30 }
        #expect(outcome.lateShare < 0.02, "\(outcome.lateShare)")
        #expect(outcome.meanWait < 50, "\(outcome.meanWait)")
        // As it came, the deviation would be 12 ms.
        #expect(outcome.deviation < 3, "\(outcome.deviation)")
    }

    @Test func largeFramesAreWaitedForByTheirSize() {
        // A key frame of 30 kB each three seconds through 2 Mbit/s takes 120 ms, others 12.
        let sizes: (Int) -> Int = { $0 % 90 == 0 ? 30_000 : 3_000 }
        let outcome = run(frames: 3_600, sizes: sizes) { frame, generator in
            20 + Double(sizes(frame)) * 8 / 2_000 + generator.unit()
        }
        let lateKeys = outcome.late
        #expect(lateKeys <= 3, "\(lateKeys) of 38 came late")
        #expect(outcome.timing.target > .milliseconds(90) && outcome.timing.target < .milliseconds(200))
    }

    /// A picture in twenty is repaired after 80 ms, and two behind it wait for it: nobody else does.
    @Test func fewRepairsAreNotWaitedFor() {
        let outcome = run(frames: 1_800, repaired: { $0 % 20 == 10 }) { frame, _ in frame % 20 == 10 ? 100 : 20 }
        #expect(outcome.timing.target <= .milliseconds(15), "\(outcome.timing.target)")
        #expect(outcome.lateShare > 0.1 && outcome.lateShare < 0.2, "\(outcome.lateShare)")
    }

    /// A round trip of 600 ms, and a loss each second: most pictures would be held up. They are forgotten where nothing is lost.
    @Test func manyRepairsAreWaitedFor() {
        var outcome = run(frames: 1_800, repaired: { $0 % 30 == 10 }) { frame, _ in frame % 30 == 10 ? 920 : 300 }
        #expect(outcome.timing.target >= .milliseconds(150), "\(outcome.timing.target)")
        #expect(outcome.lateShare < 0.42, "\(outcome.lateShare)")
        for frame in 1_800..<3_600 {
            let arrival = Instant.zero + .seconds(1.3 + Double(frame) / 30)
            _ = outcome.timing.due(
                timestamp: UInt32(truncatingIfNeeded: 4_294_900_000 + frame * 3_000), arrival: arrival, ready: arrival,
                bytes: 3_000, isRepaired: false)
        }
        #expect(outcome.timing.target < .milliseconds(30), "\(outcome.timing.target)")
    }

    @Test func theSenderMayAskForItsDelay() {
        var timing = RenderTiming()
        func due(_ frame: Int) -> Interval {
            let arrival = Instant.zero + .milliseconds(1_000 + frame * 40)
            let due = timing.due(
                timestamp: UInt32(frame * 3_600), arrival: arrival, ready: arrival, bytes: 1_000, isRepaired: false)
            return due - arrival
        }
        timing.note(PlayoutDelay(minimum: 20, maximum: 30))
        #expect(due(0) == .milliseconds(200))
        timing.note(PlayoutDelay(minimum: 0, maximum: 0))
        #expect(due(50) == .zero)
        // One that makes no sense says nothing.
        timing.note(PlayoutDelay(minimum: 30, maximum: 10))
        #expect(due(100) < .milliseconds(30))
    }

    @Test func anHourOfDriftIsFollowed() {
        for drift in [-200.0, 200] {
            let outcome = run(frames: 30 * 3_600, drift: drift) { _, generator in 20 + generator.unit() * 4 }
            #expect(outcome.lateShare < 0.03, "\(outcome.lateShare) at \(drift) ppm")
            #expect(outcome.meanWait < 30, "\(outcome.meanWait) at \(drift) ppm")
        }
    }

    @Test func aClockSetAnewBeginsAnew() {
        var timing = RenderTiming()
        var worst = Interval.zero
        for frame in 0..<300 {
            let arrival = Instant.zero + .milliseconds(frame * 40)
            let jump: UInt32 = frame < 150 ? 0 : 3_000_000_000
            let due = timing.due(
                timestamp: UInt32(frame * 3_600) &+ jump, arrival: arrival, ready: arrival, bytes: 1_000,
                isRepaired: false)
            worst = max(worst, due - arrival)
        }
        #expect(worst < .seconds(1), "\(worst.milliseconds) ms")
    }

    /// Whatever comes, a frame is due within the bounds.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func hostileTimesKeepTheBounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var timing = RenderTiming(bounds: RenderDelayBounds(maximum: .seconds(1)))
        var now = Instant.zero
        for _ in 0..<5_000 {
            now += .milliseconds(Int(generator.next() % 200))
            _ = timing.due(
                timestamp: UInt32(truncatingIfNeeded: generator.next()), arrival: now,
                ready: now + .milliseconds(Int(generator.next() % 3_000)), bytes: Int(generator.next() % 2_000_000),
                isRepaired: generator.next() % 4 == 0)
            #expect(timing.currentDelay >= .zero && timing.currentDelay <= .seconds(1))
        }
    }
}

extension SeededGenerator {
    /// 0..<1.
    fileprivate mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }
}
