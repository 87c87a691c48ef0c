import Testing

@testable import ScenarioCore

/// A mistake in a scenario file, where it is, and what is said of it.
struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    /// Stands at the place that is named.
    var needle: String
    /// Parts of the message: what is wrong, and what would be right.
    var says: [String]

    var testDescription: String { says.first ?? needle }

    init(_ text: String, at needle: String, says: String...) {
        self.text = text
        self.needle = needle
        self.says = says
    }
}

/// Every mistake is told with its line and column, what is wrong, and what would be right.
@Suite struct MistakeTests {
    private static let keys: [Mistake] = [
        Mistake(
            Samples.pair(head: "durration: 5s"), at: "durration", says: "no key \"durration\"",
            "did you mean \"duration\"?"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, joins: 1s}"), at: "joins:", says: "no key \"joins\"",
            "did you mean \"join\"?"),
        Mistake(
            Samples.pair(timeline: "- {at: 1s, who: ada, do: mute, waht: audio}"), at: "waht", says: "no key \"waht\"",
            "did you mean \"what\"?"),
        Mistake(
            Samples.pair(expect: "- {who: ada, heers: bob}"), at: "heers", says: "no key \"heers\"",
            "did you mean \"hears\"?"),
        Mistake(
            Samples.pair(expect: "- {who: ada, qqqqqqq: bob}"), at: "qqqqqqq", says: "no key", "known: "),
        Mistake("duration: 5s\nexpect: []\npeople: []", at: "duration: 5s", says: "needs the key \"scenario\""),
        Mistake("- 1", at: "- 1", says: "a scenario is a mapping of key: value, not a list"),
        Mistake("hello", at: "hello", says: "a scenario is a mapping", "not \"hello\""),
    ]

    private static let values: [Mistake] = [
        Mistake(
            Samples.pair(people: "  - {name: cleo, join: 7}"), at: "7}", says: "join: 7 has no unit", "write 7s or 7ms"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, join: soon}"), at: "soon", says: "\"soon\" is no duration",
            "write 200ms, 1.5s"),
        Mistake(Samples.pair(people: "  - {name: cleo, join: -1s}"), at: "-1s", says: "\"-1s\" is no duration"),
        Mistake(Samples.pair(people: "  - {name: cleo, leave: 25h}"), at: "25h", says: "24h at most"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: high}"), at: "high", says: "neither 100 to 4000 (Hz) nor auto"),
        Mistake(Samples.pair(people: "  - {name: cleo, tone: 20}"), at: "20}", says: "neither 100 to 4000"),
        Mistake(Samples.pair(people: "  - {name: cleo, card: big}"), at: "big", says: "no picture; write 320x180@15"),
        Mistake(Samples.pair(people: "  - {name: cleo, card: 8x8@15}"), at: "8x8@15", says: "160x90 to 1920x1080"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, receives: maybe}"), at: "maybe", says: "neither true nor false"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, provider: livkit}"), at: "livkit", says: "there is no \"livkit\"",
            "did you mean \"livekit\"?"),
        Mistake(
            Samples.pair(people: "  - {name: \"c-{n}\", count: many}"), at: "many",
            says: "no whole number from 1 to 2000"),
        Mistake(Samples.pair(people: "  - {name: \"c-{n}\", count: 0}"), at: "0}", says: "no whole number from 1"),
        Mistake(
            Samples.pair(people: "  - {name: \"c-{n}\", count: 9999}"), at: "9999",
            says: "no whole number from 1 to 2000"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: 500, speaks: 2s}"), at: "2s}", says: "no span", "write 2s..5s"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: 500, speaks: 5s..2s}"), at: "5s..2s", says: "no span"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: 500, speaks: 20s..30s}"), at: "20s..30s",
            says: "no span within the scenario"),
        Mistake(Samples.pair(people: "  - {name: cleo, speaks: always}"), at: "always", says: "nothing to be heard"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, join: [1s]}"), at: "[1s]", says: "a list stands where a duration"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: {a: b}}"), at: "{a: b}", says: "a mapping stands where a text"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, join: }"), at: "}\nexpect", says: "nothing stands where a duration"),
        Mistake(
            Samples.pair(expect: "- {who: ada, hears: bob, share: 90}"), at: "90}", says: "is no limit", "\"< 2%\""),
        Mistake(
            Samples.pair(expect: "- {who: ada, join-time: \"< 2\"}"), at: "\"< 2\"", says: "is no limit", "\"< 500ms\""),
        Mistake(
            Samples.pair(expect: "- {who: ada, reconnects: few}"), at: "few", says: "is no limit", "\">= 40\""),
        Mistake(
            Samples.pair(expect: "- {who: ada, ended: sometime}"), at: "sometime", says: "there is no \"sometime\""),
        Mistake("scenario: x\nduration: 5s\npeople: 7\nexpect: []", at: "7", says: "people is a list", "\"- \""),
        Mistake(
            "scenario: x\nduration: 5s\nnetworks: [1]\npeople: []\nexpect: []", at: "[1]", says: "a mapping of names"),
        Mistake("scenario: x\nduration: 10ms\npeople: []\nexpect: []", at: "10ms", says: "lasts 1s to 24h"),
    ]

    private static let networks: [Mistake] = [
        Mistake(network("loss: 101"), at: "101", says: "no number from 0 to 100"),
        Mistake(network("loss: lots"), at: "lots", says: "no number from 0 to 100"),
        Mistake(network("delay: 11s"), at: "11s", says: "too long; 10000 ms at most"),
        Mistake(network("rate: 1"), at: "1}", says: "no whole number from 10"),
        Mistake(network("burst: 40ms"), at: "40ms", says: "burst shapes losses"),
        Mistake(network("speed: 3"), at: "speed", says: "no key \"speed\""),
    ]

    private static func network(_ text: String) -> String {
        "scenario: x\nduration: 5s\nnetworks:\n  a: {\(text)}\npeople: [{name: b}]\nexpect: [{who: b, meets: nobody}]\n"
    }

    private static let people: [Mistake] = [
        Mistake(
            Samples.pair(people: "  - {name: ada}"), at: "ada}", says: "\"ada\" is there already, in line 6",
            "a name of their own"),
        Mistake(Samples.pair(people: "  - {name: all}"), at: "all}", says: "\"all\" means somebody else"),
        Mistake(Samples.pair(people: "  - {name: \"c{n}\"}"), at: "\"c{n}\"", says: "{n} is for a crowd", "count"),
        Mistake(Samples.pair(people: "  - {name: crowd, count: 3}"), at: "crowd", says: "of a crowd needs {n}"),
        Mistake(Samples.pair(people: "  - {name: \"a/b\"}"), at: "\"a/b\"", says: "characters beside letters"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, like: persn}"), at: "persn", says: "there is no template \"persn\""),
        Mistake(
            Samples.pair(people: "  - {name: cleo, network: bed}"), at: "bed", says: "no network \"bed\"",
            "did you mean \"bad\"?"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, join: 5s, leave: 3s}"), at: "3s}", says: "leave later"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, leave: 5s, stay: 3s}"), at: "3s}", says: "keep one of them"),
        Mistake(Samples.pair(people: "  - {name: cleo, join: never, stay: 3s}"), at: "3s}", says: "use leave"),
        Mistake(Samples.pair(people: "  - {name: cleo, join: 12s}"), at: "cleo", says: "when the scenario is over"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, tone: 500, speech: hi}"), at: "500, sp", says: "keep one of them"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, record: true, measure: counted}"), at: "true, m",
            says: "who only counts frames records none"),
        Mistake(
            Samples.pair(people: "  - {name: cleo, group: bob}"), at: "bob, tone", says: "is a person and a group"),
        Mistake("scenario: x\nduration: 5s\npeople: []\nexpect: []", at: "[]\nexpect", says: "nobody takes part"),
    ]

    @Test(arguments: keys + values + people + networks) func isToldWithItsPlace(_ mistake: Mistake) throws {
        let problems = Samples.problems(mistake.text)
        let place = try Samples.place(of: mistake.needle, in: mistake.text)
        let found = problems.first { problem in mistake.says.allSatisfy { problem.text.contains($0) } }
        #expect(found?.position == place, "told: \(problems)")
    }

    /// A mapping that stands twice is the YAML library's own complaint.
    @Test func aKeyThatStandsTwiceIsNamed() {
        let told = Samples.problem(Samples.pair(head: "scenario: again"))
        #expect(told.contains("scenario stands twice in one mapping"), "\(told)")
    }

    @Test func allMistakesAreToldAtOnceInTheOrderOfTheFile() {
        let text = Samples.pair(people: "  - {name: cleo, join: 5}\n  - {name: dan, tone: 7}\n  - {nam: eve}")
        let lines = Samples.problems(text).map(\.position.line)
        #expect(lines == [8, 9, 10, 10])
    }

    @Test func aCrowdTellsItsMistakeOnce() {
        let text = Samples.pair(expect: "- {who: [ada, bob, zoe], hears: zoe}")
        let problems = Samples.problems(text)
        #expect(problems.count == 2, "\(problems)")
        #expect(Set(problems.map(\.position.column)).count == 2)
    }

    @Test func aFileFullOfMistakesIsNotToldWithoutEnd() {
        let people = (0..<500).map { "  - {name: p\($0), join: 5}" }.joined(separator: "\n")
        #expect(Samples.problems(Samples.pair(people: people)).count == 100)
    }

    @Test func aLineNamesTheFile() {
        let problem = ScenarioProblem(SourcePosition(line: 3, column: 7), "wrong; do it right")
        #expect(problem.line(in: "a.yaml") == "a.yaml:3:7: wrong; do it right")
        #expect(ScenarioProblems([problem]).description == "3:7: wrong; do it right")
    }
}
