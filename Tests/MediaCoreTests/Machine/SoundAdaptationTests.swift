import RTCWire
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
        sound.note(loss: 0.02, now: .zero)
        #expect(sound.rate.expectedLoss == 10)
        for _ in 0..<4 { sound.note(loss: 0.2, now: .zero) }
        #expect(sound.rate.expectedLoss == 20)
        for _ in 0..<8 { sound.note(loss: 0.9, now: .zero) }
        #expect(sound.rate.expectedLoss == 30)
        for _ in 0..<30 { sound.note(loss: 0, now: .zero) }
        #expect(sound.rate.expectedLoss == 10)
    }

    // MARK: Copies of whole frames

    private func reports(_ loss: Double, seconds: Range<Int>, to sound: inout SoundAdaptation) {
        for second in seconds { sound.note(loss: loss, now: .zero + .seconds(second)) }
    }

    @Test func wholeCopiesComeWithLossesAndGoLater() {
        var sound = SoundAdaptation(bitrate: 48_000, copies: 0, mostCopies: 2)
        sound.setShare(nil)
        reports(0.02, seconds: 0..<30, to: &sound)
        #expect(sound.copies == 0)
        reports(0.05, seconds: 30..<40, to: &sound)
        #expect(sound.copies == 1)
        // Coarse copies inside are not needed any more.
        #expect(sound.rate == SoundRate(bitrate: 32_000, expectedLoss: 0, milliseconds: 20))
        #expect(sound.wanted == PacketCosts.sound(32_000, copies: 1) && sound.cost == sound.wanted)
        reports(0.12, seconds: 40..<50, to: &sound)
        #expect(sound.copies == 2)
        // Bursts are longer than two copies reach.
        #expect(sound.rate == SoundRate(bitrate: 48_000, expectedLoss: 15, milliseconds: 20))
        // Neither much nor nothing.
        reports(0.02, seconds: 50..<100, to: &sound)
        #expect(sound.copies == 2)
        reports(0, seconds: 100..<110, to: &sound)
        #expect(sound.copies == 2)
        reports(0, seconds: 110..<130, to: &sound)
        #expect(sound.copies == 0)
        #expect(sound.rate == SoundRate(bitrate: 48_000, expectedLoss: 10, milliseconds: 20))
    }

    @Test func copiesTakeNoRoomThatPicturesNeed() {
        var sound = SoundAdaptation(bitrate: 48_000, copies: 0, mostCopies: 2)
        reports(0.12, seconds: 0..<10, to: &sound)
        for copies in 1...2 {
            sound.setShare(3 * PacketCosts.sound(32_000, copies: copies))
            #expect(sound.copies == copies)
            #expect(sound.rate == SoundRate(bitrate: 32_000, expectedLoss: 15, milliseconds: 20))
            sound.setShare(3 * PacketCosts.sound(48_000, copies: copies))
            #expect(sound.copies >= copies)
            sound.setShare(3 * PacketCosts.sound(32_000, copies: copies) - 1)
            #expect(sound.copies == copies - 1)
        }
        // Where there is no room for any, coarse ones are made.
        sound.setShare(3 * PacketCosts.sound(32_000, copies: 1) - 1)
        #expect(sound.rate == SoundRate(bitrate: 48_000, expectedLoss: 15, milliseconds: 20))
        sound.setShare(nil)
        #expect(sound.copies == 2)
    }

    /// Losses may be our own doing: where nobody measures what the path bears, copies stay few.
    @Test func onAnUnknownPathThereIsOneCopy() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0, mostCopies: 2)
        reports(0.12, seconds: 0..<10, to: &sound)
        #expect(sound.copies == 1)
        sound.setShare(nil, isPathKnown: false)
        #expect(sound.copies == 1)
        sound = SoundAdaptation(bitrate: 32_000, copies: 2, mostCopies: 2)
        #expect(sound.copies == 2)
    }

    @Test func withoutNegotiationNothingIsCopied() {
        var sound = SoundAdaptation(bitrate: 32_000, copies: 0)
        reports(0.3, seconds: 0..<10, to: &sound)
        #expect(sound.copies == 0)
        // Those that are always wanted stay.
        sound = SoundAdaptation(bitrate: 32_000, copies: 1, mostCopies: 2)
        #expect(sound.copies == 1 && sound.rate == SoundRate(bitrate: 32_000, expectedLoss: 10, milliseconds: 20))
        sound.setShare(20_000)
        #expect(sound.copies == 1)
    }
}
