import Testing

@testable import ScenarioCore

/// The small texts of the language.
@Suite struct ScalarTextTests {
    @Test(arguments: [
        ("0s", 0), ("200ms", 200), ("1.5s", 1500), ("10m", 600_000), ("1h", 3_600_000), ("24h", 86_400_000),
        ("0.5ms", 1), ("0.25h", 900_000),
    ]) func durations(_ text: String, _ milliseconds: Int) {
        #expect(ScalarText.duration(text) == milliseconds)
    }

    @Test(arguments: ["", "s", "5", "ms", "-1s", "1e3s", "infs", "nans", "1.2.3s", "25h", "5 s", "5d", "0x5s", "+5s"])
    func noDurations(_ text: String) {
        #expect(ScalarText.duration(text) == nil)
    }

    @Test func limits() {
        #expect(ScalarText.limit(">= 40", .count) == Limit(.atLeast, 40, .count))
        #expect(ScalarText.limit("<=40", .count) == Limit(.atMost, 40, .count))
        #expect(ScalarText.limit("< 2.5%", .percent) == Limit(.below, 2.5, .percent))
        #expect(ScalarText.limit("> 2 %", .percent) == Limit(.above, 2, .percent))
        #expect(ScalarText.limit("< 1.5s", .duration) == Limit(.below, 1500, .duration))
        #expect(ScalarText.limit("= 0", .count) == Limit(.equal, 0, .count))
        #expect(ScalarText.limit("3", .count) == Limit(.equal, 3, .count))
    }

    @Test(arguments: ["", "<", "< ", "< x", "-3", ">= -3", "=> 3", "<< 3", "3%"]) func noCounts(_ text: String) {
        #expect(ScalarText.limit(text, .count) == nil)
    }

    @Test(arguments: ["3", "< 3", "%", "< %"]) func noPercents(_ text: String) {
        #expect(ScalarText.limit(text, .percent) == nil)
    }

    @Test(arguments: ["3", "< 3", "ms", "< 3 s"]) func noDurationLimits(_ text: String) {
        #expect(ScalarText.limit(text, .duration) == nil)
    }

    @Test func comparisons() {
        #expect(Limit(.atLeast, 3, .count).holds(3) && !Limit(.atLeast, 3, .count).holds(2.9))
        #expect(Limit(.atMost, 3, .count).holds(3) && !Limit(.atMost, 3, .count).holds(3.1))
        #expect(Limit(.above, 3, .count).holds(3.1) && !Limit(.above, 3, .count).holds(3))
        #expect(Limit(.below, 3, .count).holds(2.9) && !Limit(.below, 3, .count).holds(3))
        #expect(Limit(.equal, 3, .count).holds(3) && !Limit(.equal, 3, .count).holds(3.1))
        #expect(!Limit(.atLeast, 3, .count).holds(.nan))
    }

    @Test func limitsAsTheyAreWritten() {
        #expect(Limit(.atLeast, 90, .percent).description == ">= 90 %")
        #expect(Limit(.below, 1500, .duration).description == "< 1500 ms")
        #expect(Limit(.equal, 2, .count).description == "= 2")
    }

    @Test(arguments: [
        (0.0, "0"), (1, "1"), (1.5, "1.5"), (1.25, "1.25"), (1.05, "1.05"), (99.999, "100"), (-2.5, "-2.5"),
        (-0.001, "0"), (1e16, "1e+16"),
    ]) func decimals(_ value: Double, _ text: String) {
        #expect(Decimal.text(value) == text)
    }

    @Test func spans() {
        #expect(ScalarText.span("2s..5s") == 2000..<5000)
        #expect(ScalarText.span("0s .. 200ms") == 0..<200)
        for text in ["", "2s", "5s..2s", "2s..2s", "2..5", "..5s", "2s..", "2s...5s"] {
            #expect(ScalarText.span(text) == nil, "\(text)")
        }
    }

    @Test func pictures() {
        #expect(ScalarText.picture("320x180@15") == .init(width: 320, height: 180, frameRate: 15))
        #expect(ScalarText.picture("640x360") == .init(width: 640, height: 360, frameRate: 15))
        #expect(ScalarText.picture("640x360@7.5")?.frameRate == 7.5)
        for text in ["", "320", "320x", "x180", "320x180@", "320x180@0", "320x180@61", "4000x180", "159x90", "1x2x3"] {
            #expect(ScalarText.picture(text) == nil, "\(text)")
        }
    }

    @Test func booleans() {
        #expect(ScalarText.boolean("true") == true && ScalarText.boolean("yes") == true)
        #expect(ScalarText.boolean("false") == false && ScalarText.boolean("no") == false)
        #expect(ScalarText.boolean("1") == nil && ScalarText.boolean("True") == nil)
    }

    @Test func nearestNames() {
        let known = ["join", "leave", "tone", "speech"]
        #expect(Nearest.name(to: "jion", among: known) == "join")
        #expect(Nearest.name(to: "Leave", among: known) == "leave")
        #expect(Nearest.name(to: "speach", among: known) == "speech")
        #expect(Nearest.name(to: "x", among: known) == nil)
        #expect(Nearest.name(to: "camera", among: known) == nil)
        #expect(Nearest.remedy(for: "a", among: []) == "there is none")
        #expect(Nearest.remedy(for: "qqqqqqqq", among: known) == "known: join, leave, speech, tone")
        #expect(Nearest.remedy(for: "qqqqqqqq", among: (0..<30).map { "n\($0)" }).hasSuffix(", ..."))
    }

    @Test func replacing() {
        #expect("viewer-{n}".replacing("{n}", by: "7") == "viewer-7")
        #expect("{n}-{n}".replacing("{n}", by: "{n}") == "{n}-{n}")
        #expect("plain".replacing("{n}", by: "7") == "plain")
        #expect("  a b ".trimmed == "a b")
    }
}
