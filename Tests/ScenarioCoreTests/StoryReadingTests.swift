import Testing

@testable import ScenarioCore

/// A story's file becomes a plan.
@Suite struct StoryReadingTests {
    private static func action(_ steps: String, _ name: String) throws -> StoryAction? {
        try Samples.storyPlan(Samples.story(steps))[name]?.action
    }

    @Test func aFileWithTheKeyIsAStory() throws {
        guard case .story(let plan) = try ScenarioReader.document(Samples.story()) else {
            Issue.record("it is no story")
            return
        }
        #expect(plan.name == "a talk" && plan.position == SourcePosition(line: 1, column: 8))
        #expect(plan.steps.map(\.name) == ["start", "message", "end"])
        guard case .scenario = try ScenarioReader.document(Samples.pair()) else {
            Issue.record("it is no scenario")
            return
        }
    }

    @Test func theHead() throws {
        let head = "description: d\nclients: 200\ncalls: 6\npatience: 90s\n"
        let plan = try Samples.storyPlan(Samples.story(head: head))
        #expect(plan.about == "d" && plan.clients == 200 && plan.calls == 6 && plan.patienceMs == 90_000)
        let usual = try Samples.storyPlan(Samples.story())
        #expect(usual.clients == 1 && usual.calls == nil && usual.patienceMs == nil && usual.expectations.isEmpty)
    }

    @Test func parametersOfMessages() throws {
        let said = StoryAction.message(StoryWords("Hello.", answer: "Good day."))
        #expect(try Samples.storyPlan(Samples.story())["message"]?.action == said)
        #expect(
            try Self.action("- do: message", "message")
                == .message(StoryWords("Good morning.", answer: "Good morning, what can I do for you?")))
        let pushed = "- do: message\n- {do: push, text: \"Ready, {n}.\"}\n- {do: back-again, text: Here.}"
        #expect(try Self.action(pushed, "push") == .push(text: "Ready, {n}."))
        #expect(try Self.action(pushed, "back-again") == .backAgain(text: "Here."))
        let asked = "- do: message\n- {do: chat, text: Where?, answer: There.}"
        #expect(try Self.action(asked, "chat") == .chat(StoryWords("Where?", answer: "There.")))
    }

    @Test func parametersOfCalls() throws {
        let call = """
            - do: message
            - {do: ring, provider: opentok}
            - {do: locked-answer, greeting: One moment.}
            - do: authentication
            - {do: talk, pictures: 30}
            - {do: files, upload: 100, download: 200}
            - {do: co-browsing, mask: 20x10+200+100}
            - {do: drop, text: Hello?, answer: Yes.}
            - do: call-back
            - do: hang-up
            """
        #expect(try Self.action(call, "ring") == .ring(.opentok))
        #expect(try Self.action(call, "locked-answer") == .lockedAnswer(greeting: "One moment."))
        #expect(try Self.action(call, "talk") == .talk(pictures: 30))
        var files = StoryFiles()
        (files.upload, files.download) = (100, 200)
        #expect(try Self.action(call, "files") == .files(files))
        #expect(
            try Self.action(call, "co-browsing") == .coBrowsing(mask: StoryMask(x: 200, y: 100, width: 20, height: 10)))
        #expect(try Self.action(call, "drop") == .drop(StoryWords("Hello?", answer: "Yes.")))
        #expect(try Self.action(call, "call-back") == .callBack(.livekit))
    }

    @Test func stepsHaveNamesOfTheirOwn() throws {
        let plan = try Samples.storyPlan(
            Samples.story("- do: message\n- {do: message, name: again, text: And?}\n- do: chat"))
        #expect(plan.steps.map(\.name) == ["start", "message", "again", "chat", "end"])
        #expect(plan["again"]?.action.word == .message && plan["nobody"] == nil)
        #expect(plan["again"]?.position == SourcePosition(line: 5, column: 10))
    }

    @Test func whatIsExpected() throws {
        let expect = """
            - {step: talk, who: [visitor, agent], sees: [pictures, tone], provider: livekit, took: "< 10s"}
            - {step: greeting, greeting: "> 1s", overlap: "<= 20ms"}
            - whole: ">= 99%"
            - journal: valid
            """
        let plan = try Samples.storyPlan(
            Samples.story(Samples.called + "\n- do: greeting\n- do: hang-up", expect: expect))
        let claims = plan.expectations.map(\.claim)
        #expect(
            claims == [
                .sees(.visitor, .pictures), .sees(.visitor, .tone), .sees(.agent, .pictures), .sees(.agent, .tone),
                .provider(.visitor, .livekit), .provider(.agent, .livekit), .took(Limit(.below, 10_000, .duration)),
                .greeting(Limit(.above, 1_000, .duration)), .overlap(Limit(.atMost, 20, .duration)),
                .whole(Limit(.atLeast, 99, .percent)), .validJournal,
            ])
        #expect(plan.expectations.map(\.step).suffix(3) == ["greeting", nil, nil])
    }

    @Test(arguments: ["160x32+80+96", "1x1+0+0", "320x64+0+176"]) func areas(_ text: String) throws {
        let mask = try #require(ScalarText.rectangle(text))
        #expect(mask.isOnScreen && "\(mask.width)x\(mask.height)+\(mask.x)+\(mask.y)" == text)
    }

    @Test(arguments: [
        "", "160x32", "160x32+80", "x32+80+96", "160x32+80+", "160x32-80+96", "99999x1+0+0", "1x1+0+0+0", "1.5x1+0+0",
        "+1x1+0+0", "1x1x1+0+0", "٣x1+0+0",
    ]) func noAreas(_ text: String) { #expect(ScalarText.rectangle(text) == nil) }

    @Test func areasThatMeet() {
        let field = StoryMask.field
        #expect(field.isOnScreen && field.overlaps(field))
        #expect(!StoryMask().overlaps(field) && !field.overlaps(StoryMask()))
        #expect(StoryMask(x: 95, y: 47, width: 5, height: 5).overlaps(field))
        #expect(!StoryMask(x: 96, y: 32, width: 5, height: 5).overlaps(field))
        #expect(!StoryMask(x: 318, y: 0, width: 3, height: 1).isOnScreen)
        #expect(!StoryMask(x: 0, y: 0, width: 0, height: 1).isOnScreen)
    }
}
