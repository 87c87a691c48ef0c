import RTCWire
import Testing

@testable import SFUCore

struct TrackQualityTests {
    private func window(
        _ expected: Int = 250, lost: Int = 0, roundTrip: Double = 20, jitter: Double = 2,
        _ change: (inout QualityWindow) -> Void = { _ in }
    ) -> QualityWindow {
        var window = QualityWindow(duration: TrackQuality.window)
        window.expectedPackets = expected
        window.lostPackets = lost
        window.roundTrip = roundTrip
        window.jitter = jitter
        window.bytes = 100_000
        change(&window)
        return window
    }

    private func score(
        _ content: TrackQuality.Content = .opus(fec: false), _ windows: QualityWindow...
    ) -> Double {
        var quality = TrackQuality(content)
        for window in windows { quality.update(window) }
        return quality.score
    }

    private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 0.01 }

    @Test func meanOpinionScores() {
        #expect(isClose(ConnectionScore.meanOpinion(100), 4.5) && isClose(ConnectionScore.meanOpinion(0), 1))
        #expect(isClose(ConnectionScore.meanOpinion(80), 4.024) && isClose(ConnectionScore.meanOpinion(500), 4.5))
    }

    @Test func gradesEndAtEightyFortyAndTwenty() {
        #expect(ConnectionGrade(score: 80.01) == .excellent && ConnectionGrade(score: 80) == .good)
        #expect(ConnectionGrade(score: 40) == .poor && ConnectionGrade(score: 20) == .lost)
    }

    @Test func delayAndJitter() {
        // 10 + 2 * 15 = 40 ms: one point, of which eight tenths count at once.
        #expect(isClose(score(.video, window(roundTrip: 20, jitter: 15)), 99.2))
        // 150 + 20 = 170 ms: (170 - 120) / 10 = 5 points.
        #expect(isClose(score(.video, window(roundTrip: 300, jitter: 10)), 96))
    }

    @Test(arguments: [
        (TrackQuality.Content.opus(fec: false), 8.0), (.opus(fec: true), 8 / 1.5), (.red(fec: false), 4),
        (.red(fec: true), 4 / 1.5), (.video, 10),
    ])
    func lossIsWeightedByWhatIsLost(_ content: TrackQuality.Content, _ weight: Double) {
        let found = score(content, window(1000, lost: 20, roundTrip: 0, jitter: 0))
        #expect(isClose(found, 100 - 0.8 * 2 * weight))
    }

    @Test func lossWeighsLessWhileLittleIsSent() {
        // A quarter of the packet rate: half the weight. 4 % of 62 or so is 8 * 4 / 2 = 16 points.
        let found = score(
            .opus(fec: false), window(1000, roundTrip: 0, jitter: 0), window(250, lost: 10, roundTrip: 0, jitter: 0))
        #expect(isClose(found, 100 - 0.8 * 16))
    }

    @Test func fallsFastRisesSlowlyAndNeverBelowTheFloor() {
        var quality = TrackQuality(.opus(fec: false))
        quality.update(window(lost: 200))
        #expect(quality.score == ConnectionScore.floor && quality.grade == .poor)
        quality.update(window(roundTrip: 0, jitter: 0))
        #expect(isClose(quality.score, 0.4 * 100 + 0.6 * 30))
        quality.update(window(roundTrip: 0, jitter: 0))
        quality.update(window(roundTrip: 0, jitter: 0))
        #expect(quality.grade == .excellent)
    }

    @Test func nothingReceived() {
        #expect(score(.video, window(0)) == 40)
        #expect(score(.video, window(50, lost: 50)) == 40)
        #expect(score(.video, window(0) { $0.hasReports = false }) == 20)
    }

    @Test func mutedAndPaused() {
        var quality = TrackQuality(.video)
        quality.notePaused()
        #expect(quality.score == 30 && quality.grade == .poor)
        quality.noteMuted()
        #expect(quality.score == 100)
    }

    @Test func layersAndBitrate() {
        #expect(isClose(score(.video, window(roundTrip: 0, jitter: 0) { $0.missingLayers = 1 }), 100 - 0.8 * 35))
        // 100,000 bytes of 1.6 Mbit: 20 * ln 2 = 13.86 points.
        let half = window(roundTrip: 0, jitter: 0) { $0.expectedBits = 1_600_000 }
        #expect(isClose(score(.video, half), 100 - 0.8 * 13.863))
    }

    @Test func logarithms() {
        for (value, expected) in [
            (1.0, 0.0), (2.718281828459045, 1), (0.001, -6.907755278982137), (1e6, 13.815510557964274),
        ] {
            #expect(abs(value.naturalLogarithm - expected) < 1e-9)
        }
    }

    @Test func countersBecomeWindows() {
        var counters = CounterWindow()
        let start = Instant.zero
        #expect(counters.take(packets: 100, lost: 5, bytes: 1000, now: start) == nil)
        #expect(counters.take(packets: 110, lost: 6, bytes: 1100, now: start + .seconds(1)) == nil)
        let window = counters.take(packets: 360, lost: 10, bytes: 3100, now: start + .seconds(6))
        #expect(window?.expectedPackets == 250 && window?.lostPackets == 4 && window?.bytes == 2000)
        #expect(window?.duration == .seconds(5))
        counters.skip()
        #expect(counters.take(packets: 900, lost: 90, bytes: 0, now: start + .seconds(11)) == nil)
    }
}
