import Testing

@testable import ScenarioCore

/// Numbers, names and places as people read them.
@Suite struct SmallTextTests {
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1, "1"), (1.5, "1.5"), (1.25, "1.25"), (1.256, "1.26"), (1.204, "1.2"),
        (1.05, "1.05"),
        (0.004, "0"), (-0.004, "0"), (-1.5, "-1.5"), (99.999, "100"), (1234567, "1234567"), (0.1 + 0.2, "0.3"),
        (1e16, "1e+16"), (.infinity, "inf"), (-.infinity, "-inf"),
    ]) func numbersHaveTwoDecimalsAtMost(_ value: Double, _ text: String) {
        #expect(Decimal.text(value) == text)
    }

    /// What is written reads as what was meant, to a hundredth.
    @Test(arguments: 0..<20) func numbersAreReadAsTheyAreWritten(_ seed: Int) throws {
        var random = TestRandom(seed)
        for _ in 0..<50 {
            let value = Double.random(in: -100_000...100_000, using: &random)
            let read = try #require(ScalarText.number(Decimal.text(value)))
            #expect(abs(read - value) <= 0.005_001)
        }
    }

    @Test(arguments: 0..<20) func durationsAreReadInEveryUnit(_ seed: Int) {
        var random = TestRandom(seed)
        for _ in 0..<50 {
            let milliseconds = Int.random(in: 0...ScenarioLimits.durationMs, using: &random)
            #expect(ScalarText.duration("\(milliseconds)ms") == milliseconds)
            let seconds = milliseconds / 1000
            #expect(ScalarText.duration("\(seconds)s") == seconds * 1000)
            #expect(ScalarText.duration("\(seconds / 60)m") == seconds / 60 * 60_000)
            #expect(ScalarText.duration("\(seconds).25s") == (seconds < 86_400 ? seconds * 1000 + 250 : nil))
        }
    }

    /// A limit that is written reads as itself.
    @Test(arguments: Limit.Comparison.allCases) func limitsAreReadAsTheyAreWritten(_ comparison: Limit.Comparison) {
        for unit in [LimitUnit.count, .percent, .duration] {
            for value in [0, 1, 2.5, 99.99] where unit != .duration || value == value.rounded() {
                let limit = Limit(comparison, value, unit)
                let text = limit.description.replacing(" ms", by: "ms")
                #expect(ScalarText.limit(text, unit) == limit, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("a{n}b", "a7b"), ("{n}", "7"), ("{n}{n}", "77"), ("x", "x"), ("", ""), ("{n", "{n"), ("n}{n}{", "n}7{"),
        ("{{n}}", "{7}"),
    ]) func everyMarkIsReplaced(_ pattern: String, _ name: String) {
        #expect(pattern.replacing("{n}", by: "7") == name)
    }

    @Test func whatIsPutInIsNotReplacedAgain() {
        #expect("a.b.c".replacing(".", by: "..") == "a..b..c")
        #expect("é.é".replacing(".", by: "-") == "é-é")
    }

    @Test(arguments: [("", ""), (" ", ""), ("  a b ", "a b"), ("a", "a"), ("\ta", "\ta")])
    func spacesAroundAreLeftOut(_ text: String, _ trimmed: String) {
        #expect(text.trimmed == trimmed)
    }

    @Test func whatIsShownFitsALine() {
        #expect("a\nb\u{7}".shortened == "a b ")
        let long = String(repeating: "e\u{301}", count: 100)
        #expect(long.shortened.unicodeScalars.count == 63 && long.shortened.hasSuffix("..."))
        #expect(String(repeating: "x", count: 60).shortened.count == 60)
    }

    // MARK: Names that are near

    @Test(arguments: [
        ("mtue", "mute"), ("MUTE", "mute"), ("mutee", "mute"), ("ute", "mute"), ("jion", "join"),
        ("resstore", "restore"),
        ("stop-provder", "stop-provider"),
    ]) func aMistypedWordIsRecognized(_ typed: String, _ meant: String) {
        #expect(Nearest.name(to: typed, among: ScenarioAction.names) == meant)
    }

    @Test func whatIsFarIsNotSuggested() {
        #expect(Nearest.name(to: "xyzzy", among: ScenarioAction.names) == nil)
        #expect(Nearest.name(to: "a", among: []) == nil)
        #expect(Nearest.remedy(for: "a", among: []) == "there is none")
        #expect(Nearest.remedy(for: "xyzzy", among: ["one", "two"]) == "known: one, two")
        let many = (0..<30).map { "name-\($0 + 100)" }
        let remedy = Nearest.remedy(for: "xyzzy", among: many)
        #expect(remedy.hasSuffix(", ...") && remedy.contains("name-123") && !remedy.contains("name-124"))
    }

    /// Of two that are equally near it is always the same one.
    @Test func aTieIsDecidedByTheAlphabet() {
        #expect(Nearest.name(to: "bat", among: ["cat", "bar"]) == "bar")
        #expect(Nearest.name(to: "bat", among: ["bar", "cat"]) == "bar")
    }

    // MARK: Places

    @Test func placesAreOrdered() {
        let places = [(2, 1), (1, 9), (1, 2)].map { SourcePosition(line: $0.0, column: $0.1) }
        #expect(places.sorted().map(\.description) == ["1:2", "1:9", "2:1"])
    }

    @Test func problemsAreInTheOrderOfTheFileAndOfTheAlphabet() {
        let (early, late) = (SourcePosition(line: 1, column: 1), SourcePosition(line: 2, column: 1))
        let told = ScenarioProblems([.init(late, "a"), .init(early, "c"), .init(early, "b")])
        #expect(told.problems.map(\.text) == ["b", "c", "a"])
        #expect(told.description == "1:1: b\n1:1: c\n2:1: a")
    }

    @Test func theSameProblemIsToldOnceAndAHundredAreEnough() {
        let list = ProblemList()
        let place = SourcePosition(line: 1, column: 1)
        #expect(list.isEmpty)
        for _ in 0..<3 { list.add(place, "wrong") }
        #expect(list.problems.count == 1 && !list.isEmpty)
        var looked = 0
        for number in 0..<200 {
            list.add(
                place,
                {
                    looked += 1
                    return "\(number)"
                }())
        }
        #expect(list.problems.count == 100 && looked == 99)
    }
}
