import RTCWire
import Testing

@testable import SFUCore

@Suite struct SpeakerTests {
    /// 20 ms packets of one level, from `start` on.
    private func feed(_ speaker: inout SpeakerLevel, level: UInt8, from start: Int, count: Int) {
        for step in start..<(start + count) {
            speaker.observe(level, timestamp: UInt32(step) &* 960, clockRate: 48_000, now: milliseconds(step * 20))
        }
    }

    /// A sine of amplitude 0.3 has -13.5 dBov, which the sender rounds to 13.
    @Test func steadyToneIsToldOnce() {
        var speaker = SpeakerLevel()
        var detector = SpeakerDetector()
        var messages: [[SpeakerDetector.Speaker]] = []
        for window in 0..<10 {
            feed(&speaker, level: 13, from: window * 20, count: 20)
            let changes = detector.update([("PA_a", speaker.level(now: milliseconds(window * 400 + 400)))])
            if !changes.isEmpty { messages.append(changes) }
        }
        #expect(messages == [[.init(participant: "PA_a", level: 0.25)]])
        #expect(detector.level(of: "PA_a") == 0.25)
    }

    @Test func silenceEndsIt() {
        var speaker = SpeakerLevel()
        var detector = SpeakerDetector()
        feed(&speaker, level: 13, from: 0, count: 60)
        _ = detector.update([("PA_a", speaker.level(now: milliseconds(1200)))])
        // No packets for 800 ms.
        #expect(detector.update([("PA_a", speaker.level(now: milliseconds(1900)))]).isEmpty)
        let ended = detector.update([("PA_a", speaker.level(now: milliseconds(2000)))])
        #expect(ended == [.init(participant: "PA_a", level: 0)])
        #expect(ended.first?.isActive == false)
        // Packets that say silence do the same.
        feed(&speaker, level: 13, from: 200, count: 60)
        #expect(!detector.update([("PA_a", speaker.level(now: milliseconds(5200)))]).isEmpty)
        feed(&speaker, level: 127, from: 260, count: 41)
        #expect(
            detector.update([("PA_a", speaker.level(now: milliseconds(6020)))]) == [
                .init(participant: "PA_a", level: 0)
            ])
    }

    @Test func fortyPercentOfAWindowMustBeLoud() {
        for (loud, expected) in [(7, false), (8, true)] {
            var speaker = SpeakerLevel()
            for step in 0...20 {
                speaker.observe(
                    (1...loud).contains(step) ? 10 : 100, timestamp: UInt32(step) * 960, clockRate: 48_000,
                    now: milliseconds(step * 20))
            }
            #expect((speaker.level(now: milliseconds(400)) > 0) == expected)
        }
    }

    @Test func thresholdAndRounding() {
        #expect(abs(SpeakerLevel.amplitude(of: 35) - 0.017_783) < 1e-6)
        #expect(abs(SpeakerLevel.amplitude(of: 20) - 0.1) < 1e-12)
        #expect(SpeakerDetector.quantized(0.0178) == 0.125)
        #expect(SpeakerDetector.quantized(0.125) == 0.125)
        #expect(SpeakerDetector.quantized(0.126) == 0.25)
        #expect(SpeakerDetector.quantized(3) == 1)
        var detector = SpeakerDetector()
        let below = detector.update([("PA_a", 0.0177)])
        #expect(below.isEmpty)
        let above = detector.update([("PA_a", 0.0179)])
        #expect(above.count == 1)
    }

    @Test func loudestFirstAndLoudestTrackCounts() {
        var detector = SpeakerDetector()
        let changes = detector.update([("PA_a", 0.1), ("PA_b", 0.5), ("PA_a", 0.9), ("PA_c", 0.01)])
        #expect(changes.map(\.participant) == ["PA_a", "PA_b"])
        #expect(changes.map(\.level) == [1, 0.5])
        let ended = detector.update([("PA_b", 0.5)])
        #expect(ended == [.init(participant: "PA_a", level: 0)])
    }

    @Test func hostileTimestamps() {
        var speaker = SpeakerLevel()
        for timestamp: UInt32 in [0, .max, 0x8000_0000, 5, 5, 0x7fff_ffff] {
            speaker.observe(0, timestamp: timestamp, clockRate: 1, now: .zero)
        }
        #expect(speaker.level(now: .zero) <= 1)
    }
}
