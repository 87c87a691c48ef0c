import RTCWire
import Testing

@testable import MediaCore

@Suite struct FreezeDetectorTests {
    private func sees(_ detector: inout FreezeDetector, _ time: Instant) -> Bool { detector.frame(at: time) }

    @Test func countsIntervalsFarAboveTheMean() {
        var detector = FreezeDetector()
        var time = Instant.zero
        for _ in 0..<30 {
            time += .milliseconds(33)
            let frozen = sees(&detector, time)
            #expect(!frozen)
        }
        time += .milliseconds(180)
        let frozen = sees(&detector, time)
        #expect(!frozen)
        time += .milliseconds(250)
        let isFreeze = sees(&detector, time)
        #expect(isFreeze)
        #expect(detector.count == 1)
        #expect(detector.duration == .milliseconds(250))
    }

    @Test func slowPicturesNeedThreeTimesTheMean() {
        var detector = FreezeDetector()
        var time = Instant.zero
        for _ in 0..<30 {
            time += .milliseconds(200)
            detector.frame(at: time)
        }
        time += .milliseconds(500)
        let frozen = sees(&detector, time)
        #expect(!frozen)
        time += .milliseconds(900)
        let isFreeze = sees(&detector, time)
        #expect(isFreeze)
    }

    @Test func tooFewFramesAndPausesDontCount() {
        var detector = FreezeDetector()
        var time = Instant.zero
        for _ in 0..<4 {
            detector.frame(at: time)
            time += .seconds(1)
        }
        #expect(detector.count == 0)
        for _ in 0..<30 {
            time += .milliseconds(33)
            detector.frame(at: time)
        }
        let before = detector.count
        detector.pause()
        time += .seconds(10)
        let frozen = sees(&detector, time)
        #expect(!frozen)
        #expect(detector.count == before)
    }

    @Test func whatHasNotEndedCountsAsFarAsItHasCome() {
        var detector = FreezeDetector()
        var time = Instant.zero
        for _ in 0..<30 {
            time += .milliseconds(33)
            detector.frame(at: time)
        }
        #expect(detector.counted(at: time + .milliseconds(100)) == (0, 0))
        #expect(detector.counted(at: time + .seconds(3)) == (1, 3_000))
        #expect(detector.closed == (0, 0))
        detector.frame(at: time + .seconds(4))
        #expect(detector.counted(at: time + .seconds(4)) == (1, 4_000))
        detector.pause()
        #expect(detector.counted(at: time + .seconds(60)) == (1, 4_000))
    }
}
