import RTCWire
import Testing

@testable import MediaCore

@Suite struct RenderedFramesTests {
    private func time(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func intervalsAreThoseOfTheShowingAndNotOfDecoding() {
        var frames = RenderedFrames()
        // Decoded in bursts of three, shown evenly.
        for index in 0..<30 { frames.frame(due: time(200 + index * 40), ready: time(100 + index / 3 * 120)) }
        let counted = frames.settled(at: time(3_000))
        #expect(counted.count == 30 && counted.dropped == 0)
        #expect((counted.intervals - 29 * 0.04).magnitude < 1e-9)
        #expect((counted.squaredIntervals - 29 * 0.0016).magnitude < 1e-9)
        #expect(counted.freezes.count == 0)
    }

    @Test func framesThatAreTooLateTogetherAreShownOnce() {
        var frames = RenderedFrames()
        for index in 0..<10 { frames.frame(due: time(index * 40), ready: time(index * 40)) }
        // Four came together, after they were due.
        for index in 10..<14 { frames.frame(due: time(index * 40), ready: time(700)) }
        frames.frame(due: time(740), ready: time(730))
        let counted = frames.settled(at: time(1_000))
        #expect(counted.dropped == 3 && counted.count == 12)
        #expect(counted.freezes.count == 1)
        #expect(counted.freezes.duration == .milliseconds(340))
    }

    @Test func aFrameCountsOnceItsTimeHasCome() {
        var frames = RenderedFrames()
        frames.frame(due: time(100), ready: time(50))
        #expect(frames.settled(at: time(99)).count == 0)
        #expect(frames.settled(at: time(100)).count == 1)
        frames.frame(due: time(140), ready: time(90))
        #expect(frames.settled(at: time(100)).count == 1)
    }

    @Test func fiveSecondsWithoutAFrameAreAPause() {
        var frames = RenderedFrames()
        for start in [0, 6_000] {
            for index in 0..<10 { frames.frame(due: time(start + index * 40), ready: time(start + index * 40)) }
        }
        let counted = frames.settled(at: time(7_000))
        #expect(counted.pauses == 1 && counted.paused == .milliseconds(5_640))
    }

    @Test func aKnownPauseIsNone() {
        var frames = RenderedFrames()
        for index in 0..<10 { frames.frame(due: time(index * 40), ready: time(index * 40)) }
        frames.expectPause()
        for index in 0..<10 { frames.frame(due: time(9_000 + index * 40), ready: time(9_000 + index * 40)) }
        let counted = frames.settled(at: time(10_000))
        #expect(counted.pauses == 0 && counted.freezes.count == 0 && counted.count == 20)
        #expect((counted.intervals - 0.72).magnitude < 1e-9)
    }
}
