import Testing

@testable import MediaCore

/// Longer packets and lower rates where the path bears little; copies where it loses.
@Suite struct SoundAdaptationTests {
    @Test func plentyChangesNothing() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0)
        sound.setShare(100_000)
        #expect(sound.rate == SoundRate(bitrate: 32_000, expectedLoss: 10, milliseconds: 20))
        #expect(sound.cost == sound.wanted)
    }

    @Test func packetsGetLongerBeforeSoundGetsCoarser() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0)
        sound.setShare(50_000)
        #expect(sound.rate.milliseconds == 40 && sound.rate.bitrate == 32_000)
        sound.setShare(42_000)
        #expect(sound.rate.milliseconds == 60 && sound.rate.bitrate == 32_000)
        sound.setShare(30_000)
        #expect(sound.rate.milliseconds == 60 && sound.rate.bitrate < 24_000)
        #expect(sound.cost <= 30_000)
        sound.setShare(0)
        #expect(sound.rate.bitrate == 12_000)
    }

    @Test func shorterPacketsNeedAMargin() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0)
        sound.setShare(50_000)
        sound.setShare(sound.wanted + 1_000)
        #expect(sound.rate.milliseconds == 40)
        sound.setShare(sound.wanted * 5 / 4)
        #expect(sound.rate.milliseconds == 20)
        sound.setShare(50_000)
        sound.setShare(nil)
        #expect(sound.rate.milliseconds == 20 && sound.rate.bitrate == 32_000)
    }

    @Test func anEncodingBelowTheLeastStaysAsItIs() {
        var sound = SoundAdaptation(bitrate: 8_000, copies: 0)
        sound.setShare(0)
        #expect(sound.rate.bitrate == 8_000)
    }

    @Test func copiesFollowTheLossThatReportsTell() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0)
        sound.note(loss: 0.02)
        #expect(sound.rate.expectedLoss == 10)
        for _ in 0..<4 { sound.note(loss: 0.2) }
        #expect(sound.rate.expectedLoss == 20)
        for _ in 0..<8 { sound.note(loss: 0.9) }
        #expect(sound.rate.expectedLoss == 30)
        for _ in 0..<30 { sound.note(loss: 0) }
        #expect(sound.rate.expectedLoss == 10)
    }
}
