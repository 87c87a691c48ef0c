import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

@Suite struct LipSyncTests {
    @Test func captureTimesComeFromTheReport() {
        var clock = CaptureClock(clockRate: 90_000)
        #expect(clock.captured(5) == nil)
        clock.report = SenderClock(ntp: 3_900_000_000 << 32 | 1 << 31, timestamp: 0xffff_ff00)
        #expect(clock.captured(0xffff_ff00) == .seconds(3_900_000_000) + .milliseconds(500))
        // Over the wrap-around, and back.
        #expect(clock.captured(90_000 - 256) == .seconds(3_900_000_001) + .milliseconds(500))
        #expect(clock.captured(0xffff_ff00 - 45_000) == .seconds(3_900_000_000))
    }

    /// Streams whose own delays are given: what the steps make of them.
    private func settle(audio: Int, video: Int, steps: Int = 40) -> (LipSync, skew: Interval) {
        var sync = LipSync()
        func skew() -> Interval {
            .milliseconds(video - audio) + sync.videoDelay - sync.audioDelay
        }
        for _ in 0..<(steps * 25) { _ = sync.note(skew: skew()) }
        return (sync, skew())
    }

    @Test func theOneAheadWaits() {
        let (late, skew) = settle(audio: 40, video: 240)
        #expect(abs(skew.milliseconds) <= 5)
        #expect(late.audioDelay > .milliseconds(190) && late.videoDelay == .zero)
        let (early, other) = settle(audio: 300, video: 20)
        #expect(abs(other.milliseconds) <= 5)
        #expect(early.videoDelay > .milliseconds(270) && early.audioDelay == .zero)
    }

    @Test func aWaitIsTakenBackFirst() {
        var sync = LipSync()
        for _ in 0..<(10 * 25) { _ = sync.note(skew: .milliseconds(100) - sync.audioDelay) }
        let waited = sync.audioDelay
        #expect(waited > .milliseconds(90))
        // The pictures' own delay is gone again.
        for _ in 0..<(10 * 25) { _ = sync.note(skew: sync.videoDelay - sync.audioDelay) }
        #expect(sync.audioDelay <= .milliseconds(5) && sync.videoDelay == .zero)
    }

    @Test func clocksThatHaveNothingInCommonChangeNothing() {
        var sync = LipSync()
        for _ in 0..<100 { _ = sync.note(skew: .seconds(70)) }
        for _ in 0..<100 { _ = sync.note(skew: Interval(nanoseconds: .min)) }
        #expect(sync.audioDelay == .zero && sync.videoDelay == .zero && sync.skews.count == 0)
    }

    /// Whole calls, in virtual time.
    @Test(arguments: [0.0, 0.05], [1, 2] as [UInt64]) func stayTogetherThroughACall(loss: Double, seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(loss > 0 ? 15 : 0))
        conditions.loss = loss
        let pair = try MachinePair(conditions, seed: seed)
        let source = try TestCardSource(sender: 3, width: 160, height: 90, frameRate: 15)
        let card = LocalTrack(.video(source, VideoEncoding(bitrate: 150_000)), id: "card")
        let tone = LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), id: "tone")
        for track in [tone, card] {
            _ = try pair.perform(pair.ada) { machine, _, _ in try machine.addTrack(track, streamID: "ada") }
        }
        try pair.negotiate()
        try #require(pair.connect())
        pair.pass(seconds: 30)
        let video = try #require(pair.statistics(pair.bob).receivers.last)
        let skew = try #require(video.lipSync)
        #expect(skew.count > 1_000)
        #expect(skew.p95 <= 60, "p50 \(skew.p50), p95 \(skew.p95)")
    }

    @Test func tracksOfOneParticipantBelongTogether() {
        func group(_ stream: String) -> Substring? {
            RemoteTrack(kind: .audio, mid: "0", streamID: stream, trackID: "t").syncGroup
        }
        #expect(group("PA_1|TR_a") == group("PA_1|TR_b") && group("PA_1|TR_a") != group("PA_2|TR_a"))
        #expect(group("ada") == "ada" && group("-") == nil && group("") == nil && group("|x") == nil)
    }
}
