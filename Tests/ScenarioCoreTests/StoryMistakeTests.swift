import Testing

@testable import ScenarioCore

/// Mistakes in a story are told with their line and column, what is wrong, and what would be right.
@Suite struct StoryMistakeTests {
    private static let steps: [Mistake] = [
        Mistake(
            Samples.story("- do: mesage"), at: "mesage", says: "do: there is no \"mesage\"", "did you mean \"message\"?"
        ),
        Mistake(Samples.story("- {do: message, txt: a}"), at: "txt", says: "no key \"txt\"", "did you mean \"text\"?"),
        Mistake(Samples.story("- {text: a}"), at: "{text", says: "needs the key \"do\""),
        Mistake(Samples.story("- message"), at: "message", says: "a story's step is a mapping", "not \"message\""),
        Mistake(
            Samples.story("- do: message\n- do: drop"), at: "drop", says: "drop can't be done here",
            "there is no call before it; put ring, locked-answer and authentication before it, or call-back"),
        Mistake(
            Samples.story("- do: message\n- do: greeting"), at: "greeting", says: "there is no call before it"),
        Mistake(
            Samples.story("- do: message\n- do: call-back\n- do: talk\n- do: greeting"), at: "greeting",
            says: "nobody was greeted"),
        Mistake(
            Samples.story("- do: message\n- do: locked-answer"), at: "locked-answer", says: "put ring before it"),
        Mistake(
            Samples.story("- do: message\n- do: ring\n- do: authentication"), at: "authentication",
            says: "put locked-answer before it"),
        Mistake(
            Samples.story("- do: message\n- do: push\n- do: files"), at: "files", says: "the visitor is away before it",
            "put back-again or a call before it"),
        Mistake(
            Samples.story("- do: message\n- do: ring\n- do: files"), at: "files",
            says: "waits for a call before it; put authentication before it"),
        Mistake(
            Samples.story("- do: message\n- do: back-again"), at: "back-again", says: "the visitor is not away"),
        Mistake(Samples.story("- do: push"), at: "push", says: "there is no conversation before it; put message"),
        Mistake(
            Samples.story("- do: message\n- do: call-back\n- do: missed-call"), at: "missed-call",
            says: "a call goes on before it; put drop or hang-up before it"),
        Mistake(Samples.story("- do: message\n- do: call-back"), at: "end", says: "a call goes on before it"),
        Mistake(
            "story: s\nsteps: [{do: message}]", at: "message", says: "nobody has started before it; put start first"),
        Mistake(
            "story: s\nsteps: [{do: start}, {do: start, name: b}]", at: "start, name", says: "begin it once"),
        Mistake(
            "story: s\nsteps: [{do: start}, {do: message}, {do: end}, {do: files}]", at: "files",
            says: "the story has ended before it"),
        Mistake(
            "story: s\nsteps: [{do: start}, {do: message}]", at: "[{do", says: "the story does not end; put end behind"),
        Mistake("story: s\nsteps: []", at: "[]", says: "the story does not end"),
        Mistake("story: s", at: "story: s", says: "a story needs the key \"steps\""),
        Mistake("story: s\nsteps: start", at: "start", says: "steps is a list"),
        Mistake(
            Samples.story("- do: message\n- do: message"), at: "message\n  - do: end",
            says: "is called \"message\" already; give this one a name of its own"),
        Mistake(
            Samples.story("- do: message\n- {do: chat, name: message}"), at: "message}",
            says: "called \"message\" already"),
    ]

    private static let values: [Mistake] = [
        Mistake(
            Samples.story("- {do: message, provider: livekit}"), at: "livekit",
            says: "provider means nothing for message; it is for ring, call-back"),
        Mistake(
            Samples.story("- {do: message, mask: 1x1+0+0}"), at: "1x1", says: "mask means nothing for message"),
        Mistake(
            Samples.story("- do: message\n- {do: co-browsing, mask: big}"), at: "big", says: "\"big\" is no area",
            "160x32+80+96"),
        Mistake(
            Samples.story("- do: message\n- {do: co-browsing, mask: 64x64+300+0}"), at: "64x64",
            says: "mask leaves the shared screen, which has 320x240 pixels"),
        Mistake(
            Samples.story("- do: message\n- {do: co-browsing, mask: 64x64+0+0}"), at: "64x64",
            says: "mask covers what the visitor types"),
        Mistake(
            Samples.story("- do: message\n- do: co-browsing\n- {do: co-browsing, name: b, mask: 8x8+200+200}"),
            at: "co-browsing, name", says: "another mask than before"),
        Mistake(
            Samples.story("- do: message\n- {do: files, upload: 1}"), at: "1}",
            says: "no whole number from 16 to 1000000"),
        Mistake(
            Samples.story("- do: message\n- {do: push, text: short}"), at: "short", says: "write 8 bytes or more"),
        Mistake(
            Samples.story("- {do: message, text: \"\"}"), at: "\"\"}", says: "text has 0 bytes; a message has 1 to 8000"
        ),
        Mistake(
            Samples.story("- {do: message, answer: \(String(repeating: "a", count: 8_001))}"), at: "aaa",
            says: "answer has 8001 bytes"),
        Mistake(Samples.story(head: "clients: 0\n"), at: "0\n", says: "no whole number from 1 to 1000"),
        Mistake(Samples.story(head: "calls: many\n"), at: "many", says: "no whole number from 1 to 1000"),
        Mistake(Samples.story(head: "patience: 30\n"), at: "30\n", says: "30 has no unit; write 30s"),
        Mistake(Samples.story(head: "patience: 2h\n"), at: "2h", says: "patience is 1s to 1h"),
        Mistake(Samples.story(head: "duration: 2h\n"), at: "duration", says: "a story has no key \"duration\""),
        Mistake(Samples.story(head: "scenario: b\n"), at: "scenario", says: "a story has no key \"scenario\""),
    ]

    private static let claims: [Mistake] = [
        Mistake(
            Samples.story(expect: "- {step: mesage, who: agent, sees: words}"), at: "mesage",
            says: "there is no step \"mesage\"; did you mean \"message\"?"),
        Mistake(
            Samples.story(expect: "- {step: message, who: agent, sees: [words, tone]}"), at: "tone",
            says: "the agent has no \"tone\" to see in message; known: queue, sent, words"),
        Mistake(
            Samples.story(expect: "- {step: message, who: carrier, sees: sealed}"), at: "sealed",
            says: "it sees nothing there"),
        Mistake(
            Samples.story(expect: "- {step: message, who: agent, sees: wrods}"), at: "wrods",
            says: "there is no \"wrods\"; did you mean \"words\"?"),
        Mistake(
            Samples.story(expect: "- {step: message, who: nobody, sees: words}"), at: "nobody",
            says: "there is no \"nobody\""),
        Mistake(Samples.story(expect: "- {step: message, sees: words}"), at: "words", says: "who sees it? give who"),
        Mistake(Samples.story(expect: "- {who: agent, sees: words}"), at: "words", says: "in which step? give step"),
        Mistake(Samples.story(expect: "- {step: message}"), at: "{step", says: "nothing is claimed here"),
        Mistake(
            Samples.story(expect: "- {step: message, took: \"< 2\"}"), at: "\"< 2\"", says: "\"< 2\" is no limit"),
        Mistake(
            Samples.story(expect: "- {step: message, who: agent, took: \"< 2s\"}"), at: "agent",
            says: "who is for sees and provider"),
        Mistake(
            Samples.story(expect: "- {step: message, overlap: \"< 2s\"}"), at: "\"< 2s\"",
            says: "overlap is measured in a greeting, and message is none"),
        Mistake(
            Samples.story(expect: "- {step: message, who: agent, provider: livekit}"), at: "livekit",
            says: "a call's provider is seen in a talk"),
        Mistake(
            Samples.story(
                Samples.called + "\n- do: hang-up", expect: "- {step: talk, who: server, provider: livekit}"),
            at: "server", says: "the server is in no call; name visitor or agent"),
        Mistake(Samples.story(expect: "- {whole: all}"), at: "all", says: "\"all\" is no limit"),
        Mistake(Samples.story(expect: "- {journal: good}"), at: "good", says: "there is no \"good\""),
        Mistake(Samples.story(expect: "- none"), at: "none", says: "a story's expectation is a mapping"),
    ]

    @Test(arguments: steps + values + claims) func theMistakeIsToldInItsPlace(_ mistake: Mistake) throws {
        let problems = Samples.problems(mistake.text)
        let place = try Samples.place(of: mistake.needle, in: mistake.text)
        let found = problems.first { problem in mistake.says.allSatisfy { problem.text.contains($0) } }
        #expect(found?.position == place, "told: \(problems)")
    }

    @Test func tooManySteps() {
        let steps = (0...200).map { "- {do: chat, name: c\($0)}" }.joined(separator: "\n")
        #expect(Samples.problem(Samples.story(steps)).contains("these are 203 steps; a story has 200 at most"))
    }

    /// Behind a step that can't be done nothing is known: one mistake is told, and those in other places.
    @Test func oneMistakeIsNotToldAsMany() {
        let told = Samples.problems(Samples.story("- do: drop\n- do: talk", head: "clients: 0\n"))
        #expect(told.count == 2, "\(told)")
    }

    /// What the schema refuses the reader refuses too, at the same place.
    @Test(arguments: [
        "- do: sing", "- {do: message, txt: a}", "- {text: a}", "- {do: message, text: [a]}",
        "- {do: files, upload: 1}", "- {do: files, upload: big}", "- {do: co-browsing, mask: big}",
        "- {do: ring, provider: none}", "- {do: talk, pictures: 0}",
    ]) func schemaAndReaderAgree(_ step: String) throws {
        let text = Samples.story("- {do: message, name: first}\n" + step)
        let told = try SchemaValidator(ScenarioSchema.text).problems(YAMLText.read(text))
        let place = try #require(told.first)
        #expect(told.count == 1 && Samples.problems(text).map(\.position).contains(place), "\(told)")
    }

    @Test(arguments: [
        "- {step: message, who: agent, sees: wrods}", "- {step: message, who: me, sees: words}", "- {jornal: valid}",
        "- {step: message, took: soon}", "- {whole: \"= 1\"}",
    ]) func schemaAndReaderAgreeOnClaims(_ claim: String) throws {
        let text = Samples.story(expect: claim)
        let told = try SchemaValidator(ScenarioSchema.text).problems(YAMLText.read(text))
        let place = try #require(told.first)
        #expect(Samples.problems(text).map(\.position).contains(place), "\(told), \(Samples.problems(text))")
    }
}
