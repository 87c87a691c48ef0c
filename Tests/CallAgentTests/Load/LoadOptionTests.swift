import ArgumentParser
import LoadCore
import Testing

@testable import callagent

/// What `callagent load` takes, and what it makes of it.
@Suite struct LoadOptionTests {
    private static let place = ["load", "--url", "ws://127.0.0.1:1", "--key", "k", "--secret", "a-secret"]

    private func parse(_ arguments: [String]) throws -> LoadCommand {
        try #require(try CallAgent.parseAsRoot(Self.place + arguments) as? LoadCommand)
    }

    @Test(arguments: [
        ("90", 90.0), ("60s", 60), ("1m", 60), ("1m30s", 90), ("2h", 7200), ("0.5", 0.5), ("1.5m", 90),
    ])
    func spansOfTime(text: String, seconds: Double) { #expect(LoadDuration(argument: text)?.seconds == seconds) }

    @Test(arguments: ["", "s", "1x", "1m30", "m1", "--", "1 m"])
    func noSpansOfTime(text: String) { #expect(LoadDuration(argument: text)?.seconds == nil) }

    @Test(arguments: [("600k", 600_000), ("1.5M", 1_500_000), ("250000", 250_000)])
    func bitrates(text: String, bits: Int) { #expect(Bitrate(argument: text)?.bits == bits) }

    @Test(arguments: ["", "k", "600", "nan", "inf", "1e99", "-5M", "600kk", "99M"])
    func noBitrates(text: String) { #expect(Bitrate(argument: text)?.bits == nil) }

    @Test func resolutionsAreThoseOfTheField() throws {
        let high = try #require(LoadResolution(argument: "HIGH"))
        #expect((high.format.width, high.format.height, high.bitrate) == (1280, 720, 1_700_000))
        #expect(LoadResolution.medium.bitrate == 600_000)
        #expect(LoadResolution(argument: "960x540@15")?.format.frameRate == 15)
        #expect(LoadResolution(argument: "huge")?.bitrate == nil)
    }

    @Test func publishersSendBoth() throws {
        let settings = try parse(["--publishers", "2", "--subscribers", "3", "--rooms", "100"]).settings
        #expect((settings.audioPublishers, settings.videoPublishers, settings.publishers) == (2, 2, 2))
        #expect(settings.participants == 500)
        #expect(settings.arrival == .ramp(perSecond: 20))
        #expect(settings.decoders == 1)
    }

    @Test func soundAndPicturesApart() throws {
        let settings = try parse(["--audio-publishers", "5", "--video-publishers", "2", "--arrival", "burst"]).settings
        #expect((settings.audioPublishers, settings.videoPublishers, settings.publishers) == (5, 2, 5))
        #expect(settings.arrival == .burst)
    }

    @Test func aSoakHasCycles() throws {
        let soak = try parse(["--subscribers", "3", "--publishers", "1", "--arrival", "soak"]).settings
        #expect(soak.cycles == 3)
        #expect(soak.arrival == .churn(perSecond: 20, joinsPerMinute: 200))
        #expect(try parse(["--subscribers", "3", "--arrival", "soak", "--cycles", "5"]).settings.cycles == 5)
    }

    @Test(arguments: [
        [], ["--subscribers", "-1"], ["--rooms", "0", "--subscribers", "1"],
        ["--publishers", "1", "--audio-publishers", "1"], ["--subscribers", "20001"],
        ["--rooms", "101", "--subscribers", "200"], ["--subscribers", "1", "--duration", "0"],
        ["--subscribers", "1", "--num-per-second", "0"], ["--subscribers", "1", "--video-codec", "h265"],
        ["--subscribers", "1", "--layout", "6x6"], ["--subscribers", "1", "--arrival", "flood"],
        ["--subscribers", "1", "--reconnect-storm", "60"], ["--subscribers", "1", "--video", "1"],
        ["--subscribers", "1", "--network", "loss=many"], ["--subscribers", "1", "--assert", "joy<1"],
        ["--subscribers", "1", "--room", ""], ["--subscribers", "1", "--network-for", "loss=5"],
        ["--subscribers", "1", "--network-for", "nobody:loss=5"],
        ["--subscribers", "1", "--network-for", "subscriber 0:loss=many"], ["--subscribers", "1", "--shard", "2/2"],
        ["--subscribers", "1", "--shard", "1"], ["--subscribers", "1", "--shard", "a/2"],
        ["--subscribers", "1", "--rpc-rate", "1"], ["--publishers", "1", "--rpc-rate", "1"],
        ["--subscribers", "1", "--data-rate", "1"], ["--subscribers", "1", "--session", "s"],
        ["--subscribers", "1", "--provider", "opentok"],
        ["--subscribers", "1", "--provider", "opentok", "--session", "no-session"],
        ["--subscribers", "1", "--metrics-address", "here"],
    ])
    func whatCannotBeMeant(arguments: [String]) {
        #expect(throws: (any Error).self) { try parse(arguments).check() }
    }

    @Test func aShardIsOfTheSameRun() throws {
        let settings = try parse(["--rooms", "6", "--subscribers", "5", "--shard", "1/3"]).settings
        #expect(settings.shard == LoadShard(index: 1, count: 3) && settings.participants == 30)
        // More than one process can have.
        try parse(["--rooms", "400", "--subscribers", "100", "--shard", "0/2"]).check()
    }

    @Test func networksOfSomeComeBehindThatOfAll() throws {
        let rules = try parse([
            "--subscribers", "3", "--network-for", "subscriber 1:rate=300", "--network", "loss=1", "--network-for",
            "10% of publishers:delay=40,jitter=5",
        ]).networks.rules
        #expect(rules.map(\.profile.up.loss) == [1, 0, 0] && rules.map(\.profile.up.rate) == [0, 300, 0])
        #expect(rules.map(\.profile.up.delay) == [0, 0, 40])
    }

    @Test func callsAndMessagesHaveARate() throws {
        let settings = try parse(["--publishers", "1", "--subscribers", "2", "--rpc-rate", "0.5", "--data-rate", "3"])
            .settings
        #expect((settings.callsPerSecond, settings.messagesPerSecond) == (0.5, 3))
    }

    @Test func secretsAreNotInTheReport() {
        let arguments = ["callagent", "load", "--secret", "short", "--key=k", "--url", "ws://h"]
        #expect(ArgumentList.withoutSecrets(arguments) == ["load", "--secret", "...", "--key=...", "--url", "ws://h"])
    }
}
