import RTCWire
import Testing

@testable import MediaCore

/// Smaller pictures first, then fewer, and back.
@Suite struct QualityScalerTests {
    private typealias Step = QualityScaler.Step

    private var scaler = QualityScaler()
    private var now = Instant(nanoseconds: 1_000_000_000)

    /// Pictures at the present step for some seconds.
    ///
    /// - Parameter rate: allowed of 2.5 Mbit/s; nil for no limit.
    private mutating func pass(
        seconds: Double, quantizer: Int?, rate: Int? = 2_000_000, pixels: Double = 1280 * 720
    ) -> [Step] {
        var steps: [Step] = []
        for _ in 0..<Int(seconds * 30) {
            now = now + .seconds(1.0 / 30)
            scaler.advance(rate: rate, own: 2_500_000, now: now)
            if steps.last != scaler.step { steps.append(scaler.step) }
            scaler.note(quantizer: quantizer, pixels: pixels)
        }
        return steps
    }

    @Test mutating func coarsePicturesGetSmallerAndThenFewer() {
        let steps = pass(seconds: 12, quantizer: 100)
        let sizes = [1, 0.75, 0.5, 0.375, 0.25].map { Step(size: $0) }
        #expect(steps == sizes + [Step(pictures: 2.0 / 3, size: 0.25), Step(pictures: 0.5, size: 0.25)])
    }

    @Test mutating func noPictureGetsSmallerThanTheLeast() {
        _ = pass(seconds: 20, quantizer: 127, pixels: 640 * 360)
        #expect(scaler.step == Step(pictures: 0.5, size: 0.5))
    }

    /// 15 pictures a second are left, of however many.
    @Test(arguments: [(60, 0.25), (30, 0.5), (24, 2.0 / 3), (15, 1)] as [(Double, Double)])
    mutating func motionIsLeft(_ frameRate: Double, _ share: Double) {
        scaler = QualityScaler(.balanced, frameRate: frameRate)
        _ = pass(seconds: 30, quantizer: 127, pixels: 320 * 180)
        #expect(scaler.step == Step(pictures: share, size: 1))
    }

    @Test mutating func aScreenKeepsItsSize() {
        scaler = QualityScaler(.maintainResolution, frameRate: 30)
        let steps = pass(seconds: 12, quantizer: 100, rate: 100_000)
        #expect(steps.allSatisfy { $0.size == 1 })
        #expect(scaler.step.pictures == 1.0 / 6)
        _ = pass(seconds: 60, quantizer: 20)
        #expect(scaler.step == Step())
    }

    /// At a fall nobody waits: the size that the rate suffices for is taken at once.
    @Test mutating func aRateFitsASize() {
        _ = pass(seconds: 1, quantizer: 60)
        let (wide, narrow) = (
            scaler.isTooLarge(for: 900_000, own: 2_500_000), scaler.isTooLarge(for: 899_000, own: 2_500_000)
        )
        #expect(!wide && narrow)
        scaler.fit(310_000, own: 2_500_000, now: now)
        #expect(scaler.step == Step(size: 0.5))
        let (fits, less) = (
            scaler.isTooLarge(for: 310_000, own: 2_500_000), scaler.isTooLarge(for: 290_000, own: 2_500_000)
        )
        #expect(!fits && less)
        scaler.fit(50_000, own: 2_500_000, now: now)
        let least = scaler.isTooLarge(for: 50_000, own: 2_500_000)
        #expect(scaler.step == Step(size: 0.25) && !least)
        scaler = QualityScaler(.maintainResolution, frameRate: 30)
        _ = pass(seconds: 1, quantizer: 60)
        let screen = scaler.isTooLarge(for: 100_000, own: 2_500_000)
        #expect(!screen)
    }

    @Test mutating func theCoarsestTakesTwoSteps() {
        let steps = pass(seconds: 2, quantizer: 120)
        #expect(steps.dropFirst().first == Step(size: 0.5))
    }

    /// A rate that is much too low doesn't wait for the quantizer, and goes to the size that it suffices for at once.
    @Test mutating func aRateFarTooLowTellsTheSize() {
        #expect(pass(seconds: 1, quantizer: 60, rate: 250_000) == [Step(), Step(size: 0.375)])
        #expect(pass(seconds: 10, quantizer: 60, rate: 250_000) == [Step(size: 0.375)])
        // What is fine all the same stays as it is.
        scaler = QualityScaler()
        #expect(pass(seconds: 10, quantizer: 20, rate: 250_000) == [Step()])
    }

    /// However fine: a size that the rate doesn't suffice for isn't tried.
    @Test mutating func sizesComeBackWithTheRate() {
        _ = pass(seconds: 1, quantizer: 60, rate: 250_000)
        #expect(pass(seconds: 20, quantizer: 10, rate: 290_000) == [Step(size: 0.375)])
        #expect(pass(seconds: 20, quantizer: 10, rate: 600_000).last == Step(size: 0.75))
        #expect(pass(seconds: 20, quantizer: 10, rate: 1_000_000).last == Step())
    }

    /// An encoder that doesn't tell its quantizer: the rate alone says what size it suffices for, and back.
    @Test mutating func withoutAQuantizerTheRateTellsTheSize() {
        #expect(pass(seconds: 10, quantizer: nil, rate: 700_000) == [Step()])
        #expect(pass(seconds: 10, quantizer: nil, rate: 250_000) == [Step(), Step(size: 0.375)])
        #expect(pass(seconds: 20, quantizer: nil, rate: 600_000).last == Step(size: 0.75))
        #expect(pass(seconds: 20, quantizer: nil, rate: nil).last == Step())
    }

    @Test mutating func finePicturesGrowAgain() {
        _ = pass(seconds: 4, quantizer: 100)
        let low = scaler.step
        #expect(low.size < 1 && low.pictures == 1)
        _ = pass(seconds: 30, quantizer: 60)
        #expect(scaler.step == low)
        _ = pass(seconds: 30, quantizer: 20)
        #expect(scaler.step == Step())
    }

    /// Pictures of what moves don't get fine: where the rate is ample they grow all the same, and more of them come first.
    @Test mutating func amplePicturesGrowAgain() {
        _ = pass(seconds: 20, quantizer: 120, rate: 300_000)
        #expect(scaler.step == Step(pictures: 0.5, size: 0.25))
        let least = Step(size: 0.25)
        #expect(pass(seconds: 20, quantizer: 45, rate: 290_000).last == least, "480x270 takes 200 kbit/s at least")
        _ = pass(seconds: 3, quantizer: 60, rate: 290_000)
        #expect(pass(seconds: 20, quantizer: 60, rate: 900_000) == [least])
        #expect(pass(seconds: 60, quantizer: 45, rate: 740_000).last == Step(size: 0.5))
        #expect(pass(seconds: 60, quantizer: 45, rate: 1_400_000).last == Step())
    }

    /// Motion comes back long before pictures are fine, which small ones of what moves never get.
    @Test mutating func motionComesBackFirst() {
        _ = pass(seconds: 20, quantizer: 120, rate: 290_000)
        let least = Step(pictures: 0.5, size: 0.25)
        #expect(scaler.step == least)
        #expect(pass(seconds: 20, quantizer: 80, rate: 290_000) == [least])
        #expect(pass(seconds: 20, quantizer: 70, rate: 290_000).last == Step(size: 0.25))
    }

    @Test mutating func withoutALimitAllComesBack() {
        _ = pass(seconds: 6, quantizer: 100)
        _ = pass(seconds: 20, quantizer: 100, rate: nil)
        #expect(scaler.step == Step())
        _ = pass(seconds: 20, quantizer: 127, rate: nil)
        #expect(scaler.step == Step())
    }

    /// Fine at one step, coarse at the one above: it must not swing between the two.
    @Test mutating func stepsThatDoNotLastBecomeRare() {
        _ = pass(seconds: 2, quantizer: 100)
        var changes = 0
        var last = scaler.step
        for _ in 0..<120 {
            _ = pass(seconds: 1, quantizer: scaler.step.size == 1 ? 100 : 20)
            if scaler.step != last { changes += 1 }
            last = scaler.step
        }
        #expect((2...12).contains(changes), "\(changes) changes in 120 s")
    }

    /// Where the way gets wide again nothing waits for what failed while it was narrow.
    @Test mutating func aWiderWayIsTriedAtOnce() {
        for _ in 0..<6 {
            _ = pass(seconds: 5, quantizer: 100, rate: 600_000)
            _ = pass(seconds: 12, quantizer: 10, rate: 600_000)
        }
        _ = pass(seconds: 3, quantizer: 100, rate: 600_000)
        let low = scaler.step
        #expect(pass(seconds: 4, quantizer: 10, rate: 700_000) == [low])
        #expect(pass(seconds: 4, quantizer: 10, rate: 1_800_000).count > 1)
    }

    @Test mutating func leftOutPicturesCountAsTooCoarse() {
        for _ in 0..<60 {
            now = now + .seconds(1.0 / 30)
            scaler.advance(rate: 2_000_000, own: 2_500_000, now: now)
            scaler.note(quantizer: 60, pixels: 960 * 540)
            scaler.noteSkipped()
        }
        #expect(scaler.step.size < 1)
    }
}

/// libwebrtc's limits for a single stream.
@Suite struct PictureRatesTests {
    private static let sizes: [(Double, Double)] = [
        (160 * 90, 0), (320 * 180, 0), (480 * 270, 200_000), (640 * 360, 300_000), (960 * 540, 500_000),
        (1280 * 720, 900_000), (1920 * 1080, 2_025_000),
    ]

    @Test(arguments: sizes) func sizesTakeAtLeast(_ pixels: Double, _ rate: Double) {
        #expect(abs(PictureRates.least(of: pixels, own: 5_000_000) - rate) < 1)
    }

    @Test func betweenTwoSizesItGrows() {
        let between = PictureRates.least(of: 800 * 450, own: 5_000_000)
        #expect(between > 300_000 && between < 500_000)
        #expect(PictureRates.least(of: 1280 * 720, own: 400_000) == 400_000)
    }
}
