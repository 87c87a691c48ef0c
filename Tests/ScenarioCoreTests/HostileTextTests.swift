import Testing

@testable import ScenarioCore

/// Whatever a text is, reading it costs bounded time and memory, and ends with words.
@Suite struct HostileTextTests {
    @Test func aTextThatIsTooLongIsRefused() {
        let text = Samples.pair() + String(repeating: "# padding\n", count: 20_000)
        #expect(Samples.problem(text).contains("bytes and may have 131072; use templates and count"))
    }

    @Test(arguments: [
        "a: &a [x]\nb: *a", "a: &a [x]\nb: [*a, *a]", "? *a\n: b", "a: {b: *c}", "- *x", "scenario: '*x'", "é: é*x",
    ]) func anAliasIsRefused(_ text: String) {
        #expect(Samples.problem(text).contains("aliases (*name) are not taken"), "\(Samples.problem(text))")
    }

    @Test func anAliasIsToldWithItsPlace() throws {
        let text = "scenario: x\nduration: 5s\npeople: &p []\nexpect: *p"
        #expect(Samples.problems(text).first?.position == (try Samples.place(of: "*p", in: text)))
    }

    /// Nine levels of ten references each would be a billion values.
    @Test func aBillionLaughsAreNotLaughed() {
        var text = "a0: &a0 [lol, lol]\n"
        for level in 1...9 {
            let names = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(names)]\n"
        }
        #expect(Samples.problem(text).hasPrefix("2:"))
    }

    @Test func aStarInATextIsNoAlias() throws {
        let plan = try Samples.plan(Samples.pair(people: "  - {name: cleo, speech: 5 * 3 makes 15}"))
        #expect(plan["cleo"]?.media.sound == .speech("5 * 3 makes 15"))
    }

    @Test(arguments: [17, 100, 900, 5_000, 60_000]) func whatIsNestedTooDeepIsRefused(_ depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let told = Samples.problem(text)
        #expect(told.contains("nested more than") || told.contains("nesting level"), "\(told)")
    }

    @Test(arguments: [17, 400]) func blocksNestedTooDeepAreRefused(_ depth: Int) {
        let text = (0..<depth).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(Samples.problem(text).contains("nested more than 16 levels deep"))
    }

    @Test func tooManyValuesAreRefused() {
        let text = "a: [" + String(repeating: "1,", count: 21_000) + "1]"
        #expect(Samples.problem(text).contains("more than 20000 values; use count and repeat"))
    }

    @Test(arguments: [
        "a: [1", "a: 'x", "a: b: c", "\tx: 1", "a: }", "--- a\n--- b", "%YAML 9.9\n---\na", "!!binary x: y", "\u{1}",
        "a: \"\\q\"", "? [a]\n: b", "&a &b c: d", "*", "", "---", "...", "{", "]", ":", "- - - -", "? ", "!<", "|", ">",
    ]) func brokenTextEndsWithWords(_ text: String) throws {
        let problems = Samples.problems(text)
        let first = try #require(problems.first)
        #expect(first.position.line >= 1 && first.position.column >= 1)
        #expect(!first.text.isEmpty)
    }

    @Test func brokenYAMLIsToldWithItsPlace() throws {
        let text = "scenario: x\npeople: [a, b\nexpect: c\n"
        let problem = try #require(Samples.problems(text).first)
        #expect(problem.position.line == 3 && problem.text.contains("this is no YAML"), "\(problem)")
    }

    @Test func controlCharactersAreToldWithTheirLine() throws {
        let problem = try #require(Samples.problems("scenario: x\nduration: \u{7}\n").first)
        #expect(problem.position.line == 2 && problem.text.contains("printable"), "\(problem)")
    }

    @Test func anEmptyFileSaysHowItBegins() {
        #expect(Samples.problem("# nothing\n").contains("the file is empty; it begins with scenario:"))
    }

    /// Every prefix of a good file, and every file without one of its bytes, ends with a plan or with words.
    @Test func mutilatedFilesEndInOrder() {
        let text = Array(Samples.pair(timeline: "- {at: 1s, who: ada, do: mute, for: 2s}").utf8)
        for end in stride(from: 0, to: text.count, by: 7) {
            let prefix = String(decoding: text[..<end], as: UTF8.self)
            #expect(!Samples.problems(prefix).isEmpty)
            var without = text
            without.remove(at: end)
            for problem in Samples.problems(String(decoding: without, as: UTF8.self)) {
                #expect(!problem.text.isEmpty && problem.position.line >= 1)
            }
        }
    }

    @Test func aLongWordIsShortenedInItsMessage() throws {
        let word = String(repeating: "y", count: 900)
        let problem = try #require(Samples.problems(Samples.pair(head: "\(word): 1")).first)
        #expect(problem.text.utf8.count < 600 && problem.text.contains("..."))
    }
}
