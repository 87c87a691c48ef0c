import Foundation
import Testing

@testable import ScenarioCore

/// Scenarios of the tests, and what is asked of them.
enum Samples {
    /// Two people who hear and see each other for ten seconds; `expect` takes the place of what is expected.
    static func pair(
        people: String = "", timeline: String = "", expect: String = "- {who: ada, hears: bob}", head: String = ""
    ) -> String {
        var text = """
            scenario: pair
            duration: 10s
            networks:
              bad: {loss: 5, delay: 50ms}
            people:
              - {name: ada, tone: 440, card: 320x180@15}
              - {name: bob, tone: 660, card: 320x180@15}

            """
        if !people.isEmpty { text += people + "\n" }
        if !timeline.isEmpty { text += "timeline:\n" + indented(timeline) }
        text += "expect:\n" + indented(expect)
        return text + head + "\n"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }.joined()
    }

    static func plan(_ text: String) throws -> ScenarioPlan { try ScenarioReader.read(text) }

    /// A visitor and an agent who talk; `steps` take the place of what happens between start and end.
    static func story(
        _ steps: String = "- {do: message, text: Hello., answer: Good day.}", head: String = "", expect: String = ""
    ) -> String {
        var text = "story: a talk\n\(head)steps:\n  - do: start\n" + indented(steps) + "  - do: end\n"
        if !expect.isEmpty { text += "expect:\n" + indented(expect) }
        return text
    }

    /// The steps of a call from ringing to talking.
    static let called = "- do: message\n- do: ring\n- do: locked-answer\n- do: authentication\n- do: talk"

    static func storyPlan(_ text: String) throws -> StoryPlan { try ScenarioReader.story(text) }

    /// What is wrong with a file; none where it is right.
    static func problems(_ text: String) -> [ScenarioProblem] {
        do throws(ScenarioProblems) {
            _ = try ScenarioReader.document(text)
            return []
        } catch {
            return error.problems
        }
    }

    /// The first problem, as `line:column: text`.
    static func problem(_ text: String) -> String {
        problems(text).first.map { "\($0.position): \($0.text)" } ?? "none"
    }

    /// The place of a needle in a text, which must be there.
    static func place(of needle: String, in text: String) throws -> SourcePosition {
        let range = try #require(text.range(of: needle))
        let before = text[..<range.lowerBound]
        let line = before.filter { $0 == "\n" }.count + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        return SourcePosition(line: line, column: column)
    }

    static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().resolvingSymlinksInPath()
    }
}
