import Testing

@testable import MediaCore

@Suite struct OpinionTests {
    @Test func theBestCallHasTheBestScore() {
        let best = AudioOpinion(concealedShare: 0, delayMilliseconds: 0)
        #expect((best.rating - 93.2).magnitude < 1e-9)
        #expect((best.score - 4.41).magnitude < 0.01)
        // G.107: delay hardly matters below 150 ms and much beyond 300.
        #expect(AudioOpinion(concealedShare: 0, delayMilliseconds: 150).score > 4.3)
        #expect(AudioOpinion(concealedShare: 0, delayMilliseconds: 400).score < 4)
    }

    @Test func scoresFallWithEveryHarm() {
        var last = 5.0
        for percent in [0, 1, 2, 5, 10, 20, 40, 80, 100] {
            let score = AudioOpinion(concealedShare: Double(percent) / 100, delayMilliseconds: 100).score
            #expect(score < last || score == 1, "\(percent) %")
            last = score
        }
        let random = AudioOpinion(concealedShare: 0.05, delayMilliseconds: 100)
        let bursts = AudioOpinion(concealedShare: 0.05, burstRatio: 3, delayMilliseconds: 100)
        #expect(bursts.score < random.score)
    }

    @Test(arguments: [
        (1_080, 30.0, 0.0, 0.0), (720, 30, 0, 0), (360, 30, 0, 0), (360, 15, 0, 0), (360, 15, 0.02, 1),
        (360, 15, 0.02, 4), (360, 15, 0.2, 4), (0, 0, 1, 60),
    ])
    func picturesScoreWithinTheScale(height: Int, rate: Double, share: Double, freezes: Double) {
        let score = VideoOpinion(
            height: height, framesPerSecond: rate, frozenShare: share, freezesPerMinute: freezes
        ).score
        #expect((1...5).contains(score))
        let worse = VideoOpinion(
            height: height / 2, framesPerSecond: rate / 2, frozenShare: min(1, share + 0.1),
            freezesPerMinute: freezes + 1
        ).score
        #expect(worse < score || score == 1)
    }

    @Test func extremesStayWithinTheScale() {
        #expect(AudioOpinion(concealedShare: 7, burstRatio: -1, delayMilliseconds: 1e9).score == 1)
        #expect(AudioOpinion(concealedShare: -1, delayMilliseconds: -5).score < 4.42)
        #expect(
            VideoOpinion(height: -5, framesPerSecond: -1, frozenShare: 9, freezesPerMinute: -3).score == 1)
    }
}

@Suite struct TrackOpinionTests {
    @Test func whatWasCountedMakesTheScore() throws {
        var track = ReceiverStatistics()
        #expect(track.audioOpinion(roundTripMilliseconds: nil) == nil)
        track.sound.totalSamplesReceived = 480_000
        track.sound.jitterBufferEmittedCount = 480_000
        track.sound.jitterBufferDelay = 0.04 * 480_000
        let clean = try #require(track.audioOpinion(roundTripMilliseconds: 60))
        #expect((clean.delayMilliseconds - 110).magnitude < 1e-9 && clean.burstRatio == 0)
        track.sound.concealedSamples = 24_000
        track.sound.concealmentEvents = 5
        let broken = try #require(track.audioOpinion(roundTripMilliseconds: 60))
        #expect(broken.concealedShare == 0.05 && broken.burstRatio > 4)
        #expect(broken.score < clean.score - 0.5)
    }

    @Test func statisticsHaveTheNamesOfTheStandard() throws {
        var track = ReceiverStatistics()
        (track.kind, track.codec, track.freezes, track.frozenMilliseconds) = (.video, "VP8", 2, 700)
        (track.framesDropped, track.rendering.framesMissed, track.jitterMilliseconds) = (3, 4, 5)
        let stats = InboundRTPStreamStats(track)
        #expect(stats.mimeType == "video/VP8" && stats.freezeCount == 2 && stats.totalFreezesDuration == 0.7)
        #expect(stats.framesDropped == 7 && stats.jitter == 0.005 && stats.concealedSamples == nil)
    }
}
