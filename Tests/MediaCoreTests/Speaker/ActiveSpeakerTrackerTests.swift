import RTCWire
import Testing

@testable import MediaCore

/// Goal Q6 on seeds that no tuning has seen (it used seeds below 1,000).
@Suite struct ActiveSpeakerTrackerTests {
    @Test(arguments: 2...8)
    func findsTheSpeakerOnUnseenTraces(talkers: Int) {
        var scored = 0.0
        var right = 0.0
        for seed in 0..<6 {
            let score = SpeakerScore(SpeakerTrace(seed: UInt64(7_000 + 10 * seed + talkers), talkers: talkers))
            #expect(score.shortestStay >= .seconds(1))
            #expect(score.coughSwitches == 0)
            #expect(score.accuracy > 0.9)
            scored += score.scored.seconds
            right += score.right.seconds
        }
        #expect(scored > 100)
        #expect(right / scored >= 0.95)
    }

    @Test(arguments: 2...8)
    func failsWithoutHysteresis(talkers: Int) {
        var coughs = 0
        for seed in 0..<6 {
            let trace = SpeakerTrace(seed: UInt64(7_000 + 10 * seed + talkers), talkers: talkers)
            let score = SpeakerScore(trace, .immediate)
            #expect(score.accuracy < 0.95 || score.shortestStay < .seconds(1))
            #expect(score.switches > 2 * SpeakerScore(trace).switches)
            coughs += score.coughSwitches
        }
        #expect(coughs > 10)
    }

    @Test func sameSeedSameResult() {
        let first = SpeakerScore(SpeakerTrace(seed: 42, talkers: 5))
        #expect(first == SpeakerScore(SpeakerTrace(seed: 42, talkers: 5)))
        #expect(first != SpeakerScore(SpeakerTrace(seed: 43, talkers: 5)))
    }

    /// Feeds constant loudness per participant from `start` on, one level per 20 ms, and advances to the end.
    private func feed(
        _ tracker: inout ActiveSpeakerTracker<String>, _ levels: [String: UInt8], from start: Int, milliseconds: Int
    ) {
        for time in stride(from: start, to: start + milliseconds, by: 20) {
            for (participant, level) in levels.sorted(by: { $0.key < $1.key }) {
                tracker.observe(participant, level: level, at: .zero + .milliseconds(time + 3))
            }
        }
        tracker.advance(to: .zero + .milliseconds(start + milliseconds))
    }

    @Test func takesTurnsOfPlainSpeech() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 127, "b": 127], from: 0, milliseconds: 1_000)
        #expect(tracker.active == nil)
        feed(&tracker, ["a": 30, "b": 127], from: 1_000, milliseconds: 400)
        #expect(tracker.active?.participant == "a")
        feed(&tracker, ["a": 127, "b": 127], from: 1_400, milliseconds: 3_000)
        #expect(tracker.active?.participant == "a")
        #expect(tracker.active?.isSpeaking == false)
        #expect(!tracker.isSpeaking("a"))
        feed(&tracker, ["a": 127, "b": 25], from: 4_400, milliseconds: 400)
        #expect(tracker.active?.participant == "b")
        #expect(tracker.active?.isSpeaking == true)
        #expect(tracker.switches == 2)
    }

    @Test func coughsNeverSwitch() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 80, "b": 80], from: 0, milliseconds: 1_000)
        feed(&tracker, ["a": 30, "b": 80], from: 1_000, milliseconds: 2_000)
        for start in stride(from: 3_000, to: 9_000, by: 500) {
            feed(&tracker, ["a": 80, "b": 10], from: start, milliseconds: 200)
            feed(&tracker, ["a": 80, "b": 80], from: start + 200, milliseconds: 300)
        }
        #expect(tracker.active?.participant == "a")
        #expect(tracker.switches == 1)
    }

    @Test func learnsSteadyNoise() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["fan": 80, "b": 80], from: 0, milliseconds: 1_000)
        feed(&tracker, ["fan": 45, "b": 80], from: 1_000, milliseconds: 6_000)
        feed(&tracker, ["fan": 45, "b": 40], from: 7_000, milliseconds: 400)
        #expect(tracker.active?.participant == "b")
        feed(&tracker, ["fan": 45, "b": 80], from: 7_400, milliseconds: 5_000)
        #expect(tracker.active?.participant == "b")
    }

    @Test func somebodyWhoGoesOnTakesOver() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 90, "b": 90], from: 0, milliseconds: 500)
        feed(&tracker, ["a": 30, "b": 90], from: 500, milliseconds: 3_000)
        feed(&tracker, ["a": 30, "b": 32], from: 3_500, milliseconds: 900)
        #expect(tracker.active?.participant == "a")
        feed(&tracker, ["a": 30, "b": 32], from: 4_400, milliseconds: 400)
        #expect(tracker.active?.participant == "b")
        // Both go on: no flapping.
        feed(&tracker, ["a": 30, "b": 32], from: 4_800, milliseconds: 5_000)
        #expect(tracker.switches == 2)
    }

    @Test func crosstalkNeverTakesOver() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 80, "b": 90], from: 0, milliseconds: 500)
        feed(&tracker, ["a": 20, "b": 55], from: 500, milliseconds: 20_000)
        #expect(tracker.active?.participant == "a")
        #expect(tracker.switches == 1)
        #expect(!tracker.isSpeaking("b"))
    }

    @Test func worksWithSparseLevels() {
        var tracker = ActiveSpeakerTracker<String>()
        for time in stride(from: 0, to: 5_000, by: 100) {
            tracker.observe("a", level: time < 1_000 ? 90 : 30, at: .zero + .milliseconds(time))
            tracker.observe("b", level: 90, at: .zero + .milliseconds(time))
        }
        #expect(tracker.active?.participant == "a")
    }

    @Test func whoLeavesIsForgotten() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 90, "b": 90], from: 0, milliseconds: 500)
        feed(&tracker, ["a": 30, "b": 90], from: 500, milliseconds: 500)
        tracker.remove("a")
        #expect(tracker.active == nil)
        feed(&tracker, ["b": 30], from: 1_000, milliseconds: 500)
        #expect(tracker.active?.participant == "b")
    }

    @Test func silenceInPacketsAndNoPacketsAreTheSame() {
        var tracker = ActiveSpeakerTracker<String>()
        feed(&tracker, ["a": 90, "b": 90], from: 0, milliseconds: 500)
        feed(&tracker, ["a": 30], from: 500, milliseconds: 2_000)
        feed(&tracker, ["b": 30], from: 2_500, milliseconds: 500)
        #expect(tracker.active?.participant == "b")
        tracker.advance(to: .zero + .seconds(3_600))
        #expect(tracker.active?.isSpeaking == false)
        tracker.advance(to: .zero)
        tracker.observe("a", level: 255, at: Instant(nanoseconds: .max))
        #expect(tracker.active?.participant == "b")
    }
}
