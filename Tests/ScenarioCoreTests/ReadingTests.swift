import Testing

@testable import ScenarioCore

/// What keys say is what the plan has.
@Suite struct ReadingTests {
    private func person(_ keys: String) throws -> PlannedPerson {
        let text = Samples.pair(people: "  - {name: cleo, \(keys)}")
        return try #require(try Samples.plan(text)["cleo"])
    }

    @Test func coming() throws {
        #expect(try person("join: 2s").joinMs == 2000)
        #expect(try person("receives: true").joinMs == 0)
        #expect(try person("join: never").joinMs == nil)
        #expect(try person("join: 2s, leave: 7s").leaveMs == 7000)
        #expect(try person("join: 2s, stay: 3s").leaveMs == 5000)
        #expect(try person("join: never, leave: 7s").leaveMs == 7000)
    }

    @Test func sending() throws {
        #expect(try person("tone: 440.5").media.sound == .tone(440.5))
        #expect(try person("tone: auto").media.sound == .tone(420))
        #expect(try person("speech: good morning").media.sound == .speech("good morning"))
        #expect(try person("speech: \"7\"").media.sound == .speech("7"))
        #expect(try person("card: 640x360@7.5").media.card == .init(width: 640, height: 360, frameRate: 7.5))
        #expect(try person("tone: 500, speaks: always").media.spans == nil)
        #expect(try person("tone: 500, speaks: never").media.spans == [])
        #expect(try person("tone: 500, speaks: 1s..2s").media.spans == [1000..<2000])
        #expect(try person("tone: 500, speaks: [3s..4s, 1s..2s]").media.spans == [1000..<2000, 3000..<4000])
    }

    @Test func receiving() throws {
        #expect(try person("receives: false").reception == PlannedReception(receives: false))
        #expect(try person("measure: counted").reception.isCounted)
        #expect(try person("record: yes").reception.records)
    }

    @Test func everythingElse() throws {
        let cleo = try person("network: bad, provider: opentok, key: k, greeting: hello, group: staff")
        #expect(cleo.network == "bad" && cleo.provider == .opentok && cleo.key == "k" && cleo.greeting == "hello")
        #expect(cleo.groups == ["staff"])
        #expect(cleo.position == SourcePosition(line: 8, column: 12))
    }

    @Test func everyKeyOfANetworkIsRead() throws {
        let text = """
            scenario: x
            duration: 5s
            networks:
              all: {loss: 1.5, burst: 40ms, delay: 50ms, jitter: 5ms, reorder: 2, duplicate: 3, rate: 400, queue: 1s}
              none: {}
            people: [{name: ada}]
            expect: [{who: ada, ended: never}]
            """
        let networks = try Samples.plan(text).networks
        var wanted = ScenarioNetwork()
        (wanted.loss, wanted.burstMs, wanted.delayMs, wanted.jitterMs) = (1.5, 40, 50, 5)
        (wanted.reorder, wanted.duplicate, wanted.rateKbps, wanted.queueMs) = (2, 3, 400, 1000)
        #expect(networks == ["all": wanted, "none": ScenarioNetwork()])
    }

    @Test func aNetworkMayBeAProfileAlone() throws {
        let text = { (network: String) in
            """
            scenario: x
            duration: 5s
            networks:
              way: \(network)
            people: [{name: ada, network: way}]
            expect: [{who: ada, ended: never}]
            """
        }
        let way = try Samples.plan(text("{profile: \"3g,up.rate=300\"}")).networks["way"]
        #expect(way?.profile?.text == "3g,up.rate=300")
        #expect(way?.profile?.position == SourcePosition(line: 4, column: 18))
        #expect(way?.rateKbps == 0)
        do throws(ScenarioProblems) {
            _ = try ScenarioReader.read(text("{profile: 3g, loss: 5}"))
            Issue.record("loss beside profile was taken")
        } catch {
            #expect(
                error.problems.map { $0.line(in: "f") } == [
                    "f:4:28: loss does not go beside profile; write it in its text, after a comma"
                ])
        }
    }

    // MARK: Expectations

    private func claims(_ item: String, people: String = "") throws -> [ScenarioCore.Expectation.Claim] {
        try Samples.plan(Samples.pair(people: people, expect: "- {who: ada, \(item)}")).expectations.map(\.claim)
    }

    @Test func mediaWithAllItsMeasures() throws {
        let item = """
            sees: bob, share: "> 50%", loss: "< 1%", frames: ">= 9", first-frame: "< 1s", missing: "<= 1", \
            freezes: "= 0", freeze-ratio: "< 2%"
            """
        var limits = MediaLimits()
        limits.share = Limit(.above, 50, .percent)
        limits.loss = Limit(.below, 1, .percent)
        limits.frames = Limit(.atLeast, 9, .count)
        limits.firstFrame = Limit(.below, 1000, .duration)
        limits.missing = Limit(.atMost, 1, .count)
        limits.freezes = Limit(.equal, 0, .count)
        limits.freezeRatio = Limit(.below, 2, .percent)
        #expect(try claims(item) == [.receives(.video, from: "bob", limits)])
    }

    @Test func limitsOfTheCourse() throws {
        #expect(try claims("join-time: \"< 2s\"") == [.joinTime(Limit(.below, 2000, .duration))])
        #expect(try claims("reconnects: 1") == [.reconnects(Limit(.equal, 1, .count))])
        #expect(try claims("gap: \"<= 2s\"") == [.gap(Limit(.atMost, 2000, .duration))])
        #expect(try claims("provider-changes: 0") == [.providerChanges(Limit(.equal, 0, .count))])
        #expect(try claims("undecryptable: \"> 0\"") == [.undecryptable(Limit(.above, 0, .count))])
        #expect(try claims("greeting: \"> 0s\"") == [.greeting(Limit(.above, 0, .duration))])
        #expect(try claims("overlap: 0s") == [.overlap(Limit(.equal, 0, .duration))])
    }

    @Test func wordsOfTheCourse() throws {
        #expect(try claims("ended: provider-lost") == [.ended(.providerLost)])
        #expect(try claims("provider: opentok") == [.provider(.opentok)])
        #expect(try claims("ring: elsewhere") == [.ring(.elsewhere)])
        #expect(try claims("indicator: avatar") == [.indicator("avatar")])
        #expect(try claims("speaker: bob") == [.speaker("bob")])
        #expect(try claims("meets: others") == [.meets(["bob"])])
        #expect(try claims("meets: nobody") == [.meets([])])
    }

    @Test func eventsAreOneClaimEach() throws {
        let item = "events: [{event: trackMuted, count: 2}, {event: reconnected, count: \"< 3\"}]"
        #expect(
            try claims(item) == [
                .event("trackMuted", Limit(.equal, 2, .count)), .event("reconnected", Limit(.below, 3, .count)),
            ])
    }

    @Test func recordingsAreOneClaimEach() throws {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: clerk, record: true}",
                expect: "- {who: clerk, recorded: [ada, bob], length: \"> 1s\", tracks: 2}"))
        let (length, tracks) = (Limit(.above, 1000, .duration), Limit(.equal, 2, .count))
        #expect(
            plan.expectations.map(\.claim) == [
                .recorded(from: "ada", length: length, tracks: tracks),
                .recorded(from: "bob", length: length, tracks: tracks),
            ])
    }

    @Test func claimsOfOneItemStandTogether() throws {
        let plan = try Samples.plan(Samples.pair(expect: "- {who: all, ended: never, reconnects: 0}"))
        #expect(plan.expectations.map(\.who) == ["ada", "bob", "ada", "bob"])
        #expect(plan.expectations[0].position == plan.expectations[1].position)
        #expect(plan.expectations[0].claim == plan.expectations[1].claim)
        #expect(plan.expectations[0].position != plan.expectations[2].position)
    }

    @Test func windows() throws {
        func window(_ item: String) throws -> Range<Int>? {
            try Samples.plan(Samples.pair(expect: "- {who: ada, hears: bob\(item)}")).expectations.first?.window
        }
        #expect(try window("") == nil)
        #expect(try window(", from: 2s") == 2000..<10_000)
        #expect(try window(", until: 8s") == 0..<8000)
        #expect(try window(", from: 2s, until: 8s") == 2000..<8000)
    }

    @Test func everyExpectationKnowsItsPlace() throws {
        let text = Samples.pair(expect: "- who: ada\n  hears: bob\n  ended: never")
        let plan = try Samples.plan(text)
        let places = try [Samples.place(of: "bob\n    ended", in: text), Samples.place(of: "never", in: text)]
        #expect(plan.expectations.map(\.position) == places)
    }

    // MARK: Nodes

    @Test func nodesHaveTheirPlaces() throws {
        let root = try YAMLText.read("a: 1\nb:\n  - x\n  - {c: \"d\"}\n")
        guard case .mapping(let entries) = root.content, case .list(let items) = entries[1].value.content,
            case .mapping(let inner) = items[1].content
        else {
            Issue.record("the shape is another")
            return
        }
        #expect(entries.map(\.keyPosition) == [.init(line: 1, column: 1), .init(line: 2, column: 1)])
        #expect(items.map(\.position) == [.init(line: 3, column: 5), .init(line: 4, column: 5)])
        #expect(
            inner[0].value == ScenarioNode(content: .scalar("d", isQuoted: true), position: .init(line: 4, column: 9)))
        #expect(root.kind == "a mapping" && items[0].kind == "\"x\"" && entries[1].value.kind == "a list")
    }
}
