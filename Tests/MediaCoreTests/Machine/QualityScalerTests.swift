import RTCWire
import Testing

@testable import MediaCore

/// Fewer pictures first, then smaller ones, and back.
@Suite struct QualityScalerTests {
    private var scaler = QualityScaler()
    private var now = Instant(nanoseconds: 1_000_000_000)

    /// Pictures at the present step for some seconds.
    private mutating func pass(
        seconds: Int, quantizer: Int, isLimited: Bool = true, pixels: Double = 960 * 540
    ) -> [QualityScaler.Step] {
        var steps: [QualityScaler.Step] = []
        for _ in 0..<(seconds * 30) {
            now = now + .seconds(1.0 / 30)
            scaler.advance(isLimited: isLimited, now: now)
            if steps.last != scaler.step { steps.append(scaler.step) }
            scaler.note(quantizer: quantizer, pixels: pixels)
        }
        return steps
    }

    @Test mutating func coarsePicturesGetFewerAndThenSmaller() {
        let steps = pass(seconds: 12, quantizer: 100)
        #expect(steps.first == QualityScaler.Step(pictures: 1, size: 1))
        #expect(steps.count > 4)
        for (one, next) in zip(steps, steps.dropFirst()) {
            #expect(next.pictures <= one.pictures && next.size <= one.size && next != one)
        }
        #expect(steps.firstIndex { $0.pictures < 1 } ?? 0 < steps.firstIndex { $0.size < 1 } ?? 0)
    }

    @Test mutating func noPictureGetsSmallerThanTheLeast() {
        _ = pass(seconds: 20, quantizer: 127, pixels: 640 * 360)
        #expect(scaler.step.size == 0.5)
        #expect(scaler.step.pictures == 1.0 / 3)
    }

    @Test mutating func theCoarsestTakesTwoSteps() {
        let steps = pass(seconds: 2, quantizer: 120)
        #expect(steps.dropFirst().first == QualityScaler.Step(pictures: 0.5, size: 1))
    }

    @Test mutating func finePicturesGrowAgain() {
        _ = pass(seconds: 6, quantizer: 100)
        let low = scaler.step
        _ = pass(seconds: 30, quantizer: 60)
        #expect(scaler.step == low)
        _ = pass(seconds: 30, quantizer: 20)
        #expect(scaler.step == QualityScaler.Step(pictures: 1, size: 1))
    }

    @Test mutating func withoutALimitAllComesBack() {
        _ = pass(seconds: 6, quantizer: 100)
        _ = pass(seconds: 20, quantizer: 100, isLimited: false)
        #expect(scaler.step == QualityScaler.Step(pictures: 1, size: 1))
        _ = pass(seconds: 20, quantizer: 127, isLimited: false)
        #expect(scaler.step == QualityScaler.Step(pictures: 1, size: 1))
    }

    /// Fine at one step, coarse at the one above: it must not swing between the two.
    @Test mutating func stepsThatDoNotLastBecomeRare() {
        _ = pass(seconds: 2, quantizer: 100)
        var changes = 0
        var last = scaler.step
        for _ in 0..<120 {
            _ = pass(seconds: 1, quantizer: scaler.step.pictures == 1 ? 100 : 20)
            if scaler.step != last { changes += 1 }
            last = scaler.step
        }
        #expect((2...12).contains(changes), "\(changes) changes in 120 s")
    }

    @Test mutating func leftOutPicturesCountAsTooCoarse() {
        for _ in 0..<60 {
            now = now + .seconds(1.0 / 30)
            scaler.advance(isLimited: true, now: now)
            scaler.note(quantizer: 60, pixels: 960 * 540)
            scaler.noteSkipped()
        }
        #expect(scaler.step.pictures < 1)
    }
}
