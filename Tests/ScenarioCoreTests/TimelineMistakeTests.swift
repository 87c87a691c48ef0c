import Testing

@testable import ScenarioCore

/// Mistakes in what happens, and expectations that can't be met.
@Suite struct TimelineMistakeTests {
    private static let steps: [Mistake] = [
        step("{at: 1s, do: mute}", at: "{at", says: "who is to mute?"),
        step("{at: 1s, who: zoe, do: mute}", at: "zoe", says: "nobody is called \"zoe\""),
        step("{at: 1s, who: adda, do: mute}", at: "adda", says: "did you mean \"ada\"?"),
        step("{at: 1s, who: ada, do: muet}", at: "muet", says: "there is no \"muet\"", "did you mean \"mute\"?"),
        step("{at: 12s, who: ada, do: mute}", at: "12s", says: "when the scenario is over"),
        step("{at: 1s, who: ada, do: roam}", at: "{at", says: "roam needs network"),
        step("{at: 1s, who: ada, do: roam, network: sea}", at: "sea", says: "no network \"sea\""),
        step("{at: 1s, who: ada, do: mute, network: bad}", at: "bad}", says: "means nothing for mute"),
        step("{at: 1s, who: ada, do: speak, what: video}", at: "video}", says: "it is for mute, unmute"),
        step("{at: 1s, who: ada, do: ring}", at: "{at", says: "to is missing"),
        step("{at: 1s, who: ada, do: ring, to: zoe}", at: "zoe", says: "nobody is called"),
        step("{at: 1s, who: ada, do: end-room}", at: "ada, do", says: "concerns everybody"),
        step("{at: 1s, do: stop-provider}", at: "{at", says: "stop-provider needs provider"),
        step("{at: 1s, who: ada, do: mute, repeat: 3}", at: "3}", says: "repeat needs every"),
        step("{at: 1s, who: ada, do: mute, repeat: 9, every: 2s}", at: "1s, who", says: "when the scenario is over"),
        step("{at: 1s, who: ada, do: mute, repeat: 20000, every: 1ms}", at: "mute", says: "more than 20000 steps"),
    ]

    private static func step(_ text: String, at needle: String, says: String...) -> Mistake {
        var mistake = Mistake(Samples.pair(timeline: "- " + text), at: needle, says: "")
        mistake.says = says
        return mistake
    }

    private static let expectations: [Mistake] = [
        claim("{who: ada}", at: "{who", says: "nothing is claimed here"),
        claim("{hears: bob}", at: "{hears", says: "whose expectation is it?"),
        claim("{who: zoe, hears: bob}", at: "zoe", says: "nobody is called"),
        claim("{who: ada, hears: zoe}", at: "zoe", says: "nobody is called"),
        claim("{who: ada, hears: ada}", at: "ada}", says: "nobody hears themselves"),
        claim("{who: ada, ended: left, share: \">= 5%\"}", at: "\">= 5%\"", says: "share measures hears or sees"),
        claim("{who: ada, hears: bob, freezes: \"= 0\"}", at: "\"= 0\"", says: "freezes measures sees"),
        claim("{who: ada, hears: bob, from: 5s, until: 3s}", at: "3s}", says: "is no time within the scenario"),
        claim("{who: ada, hears: bob, until: 11s}", at: "11s", says: "is no time within the scenario"),
        claim("{who: ada, hears: bob, from: 5s, until: 5200ms}", at: "5s, u", says: "too short to be judged"),
        claim("{who: ada, hears: bob, until: 1s}", at: "bob, until", says: "ada can't meet this"),
        claim("{who: ada, not-hears: bob}", at: "bob}", says: "ada can't miss bob", "from 1500 ms on"),
        claim("{who: ada, recorded: bob}", at: "bob}", says: "ada records nothing", "record: true"),
        claim("{who: ada, events: [{event: sneezed, count: \"= 1\"}]}", at: "sneezed", says: "there is no \"sneezed\""),
        claim("{who: ada, events: [{event: trackMuted}]}", at: "{event", says: "needs the key \"count\""),
    ]

    private static func claim(_ text: String, at needle: String, says: String...) -> Mistake {
        var mistake = Mistake(Samples.pair(expect: "- " + text), at: needle, says: "")
        mistake.says = says
        return mistake
    }

    @Test(arguments: steps + expectations) func isToldWithItsPlace(_ mistake: Mistake) throws {
        let problems = Samples.problems(mistake.text)
        let place = try Samples.place(of: mistake.needle, in: mistake.text)
        let found = problems.first { problem in mistake.says.allSatisfy { problem.text.contains($0) } }
        #expect(found?.position == place, "told: \(problems)")
    }

    // MARK: What can't be met

    private func obstacle(_ people: String, _ expect: String, timeline: String = "") -> String {
        Samples.problem(Samples.pair(people: people, timeline: timeline, expect: expect))
    }

    @Test func whoNeverSpeaksCantBeHeard() {
        let told = obstacle("  - {name: cleo, card: 320x180@15}", "- {who: ada, hears: cleo}")
        #expect(told.contains("cleo publishes no sound; give them tone or speech"), "\(told)")
    }

    @Test func whoShowsNothingCantBeSeen() {
        let told = obstacle("  - {name: cleo, tone: 500}", "- {who: ada, sees: cleo}")
        #expect(told.contains("cleo publishes no pictures; give them a card"), "\(told)")
    }

    @Test func whoReceivesNothingHearsNobody() {
        let told = obstacle("  - {name: cleo, receives: false}", "- {who: cleo, hears: ada}")
        #expect(told.contains("cleo receives nothing; take receives: false away"), "\(told)")
    }

    @Test func anotherKeyOpensNothing() {
        let told = obstacle("  - {name: cleo, tone: 500, key: secret}", "- {who: ada, hears: cleo}")
        #expect(told.contains("cleo encrypts and ada has another key; give both the same"), "\(told)")
    }

    @Test func whoIsNeverThereAtTheSameTimeCantBeHeard() {
        let told = obstacle(
            "  - {name: cleo, tone: 500, leave: 4s}\n  - {name: dan, join: 5s}", "- {who: dan, hears: cleo}")
        #expect(told.contains("dan can't meet this") && told.contains("look at join, leave, mute"), "\(told)")
    }

    @Test func whoIsMutedAllTheTimeCantBeHeard() {
        let told = obstacle(
            "", "- {who: ada, hears: bob, from: 4s, until: 8s}", timeline: "- {at: 3s, who: bob, do: mute}")
        #expect(told.contains("ada can't meet this"), "\(told)")
    }

    @Test func tooManyExpectationsAreRefused() {
        let text = Samples.pair(
            people: "  - {name: \"c{n}\", count: 200, tone: 500, measure: counted}",
            expect: "- {who: all, hears: others}")
        #expect(Samples.problem(text).contains("more than 20000 expectations in all"), "\(Samples.problem(text))")
    }

    @Test func tooManyPeopleAreRefused() {
        let text = Samples.pair(people: "  - {name: \"c{n}\", count: 2000}")
        #expect(Samples.problem(text).contains("more than 2000 people in all"), "\(Samples.problem(text))")
    }

    @Test func whatCantBeUndoneIsSaid() {
        let told = obstacle("", "- {who: ada, hears: bob}", timeline: "- {at: 1s, who: ada, do: leave, for: 2s}")
        #expect(told.contains("this can't be undone"), "\(told)")
    }

    @Test func aProviderThatIsDownIsOneOfThem() {
        let told = Samples.problem(Samples.pair(head: "down: opentok"))
        #expect(told.contains("opentok is none of providers"), "\(told)")
    }
}
