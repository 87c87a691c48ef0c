import LoadResults
import Testing

@Suite struct OutlierTests {
    private func outliers(_ participants: [ParticipantResult]) -> [Outlier] {
        var run = HandMade.run(10)
        run.participants = participants
        return run.outliers
    }

    private func ordinary(_ count: Int) -> [ParticipantResult] { (0..<count).map { HandMade.subscriber("s\($0)") } }

    @Test func nobodyStandsOutAmongEquals() {
        #expect(outliers(ordinary(5)).isEmpty)
        #expect(outliers([]).isEmpty)
        #expect(outliers((0..<5).map { HandMade.subscriber("s\($0)", lost: 300) }).isEmpty)
    }

    @Test func oneThatLosesMuch() throws {
        let found = outliers(ordinary(9) + [HandMade.subscriber("bad", lost: 120)])
        #expect(found.map(\.identity) == ["bad"])
        #expect(found[0].finding == "lost 12.0 % of its packets (median 0.00 %)")
    }

    @Test func aLittleLossIsNothing() { #expect(outliers(ordinary(9) + [HandMade.subscriber("s", lost: 10)]).isEmpty) }

    @Test func oneThatStandsStill() {
        let found = outliers(ordinary(9) + [HandMade.subscriber("cold", frozen: 3)])
        #expect(found.map(\.finding) == ["saw a frozen picture for 30.0 % of the time"])
    }

    @Test func oneThatGetsTheSmallPicture() {
        let found = outliers(ordinary(9) + [HandMade.subscriber("thin", bytes: 200_000)])
        #expect(found.map(\.finding) == ["received 160 kbit/s of video (median 600 kbit/s)"])
    }

    @Test func theWorstComesFirstWithAllThatIsWrong() {
        let found = outliers(
            ordinary(9) + [
                HandMade.subscriber("thin", bytes: 400_000),
                HandMade.subscriber("worst", room: "q", lost: 500, frozen: 6, bytes: 100_000),
                HandMade.subscriber("cold", frozen: 4),
            ])
        #expect(found.map(\.identity) == ["worst", "cold", "thin"])
        #expect(found[0].room == "q" && found[0].finding.split(separator: ",").count == 3)
    }

    @Test func whoReceivedNothingIsNoneOfThem() {
        var silent = HandMade.subscriber("silent", lost: 1_000)
        silent.video.inbound.packetsReceived = 0
        #expect(outliers(ordinary(5) + [silent]).isEmpty)
    }

    @Test func whoWasThereForAMomentHasNoBitrate() {
        var brief = HandMade.subscriber("brief", bytes: 10)
        brief.endSecond = 0.5
        #expect(brief.videoBitrate(until: 10) == nil && outliers(ordinary(5) + [brief]).isEmpty)
        brief.endSecond = nil
        #expect(brief.videoBitrate(until: 10) == 8)
    }
}
