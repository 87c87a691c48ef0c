import Testing

@testable import ScenarioCore

/// Stories are held against their file.
@Suite struct StoryJudgeTests {
    private static let talk = """
        - {step: talk, who: [visitor, agent], sees: tone, provider: livekit, took: "< 2s"}
        - {step: greeting, greeting: "> 1s", overlap: "<= 20ms"}
        - whole: ">= 50%"
        - journal: valid
        """

    private static func plan() throws -> StoryPlan {
        try Samples.storyPlan(Samples.story(Samples.called + "\n- do: greeting\n- do: hang-up", expect: talk))
    }

    /// All that is to be seen.
    private static func seen(_ plan: StoryPlan, _ client: Int, milliseconds: Double = 500) -> [StoryObservation] {
        plan.steps.map { step in
            var observation = StoryObservation(client: client, step: step.name, milliseconds: milliseconds)
            observation.sights = step.action.word.sights.mapValues(Set.init)
            if step.action.word == .talk { observation.providers = [.visitor: .livekit, .agent: .livekit] }
            if step.action.word == .greeting { (observation.greeting, observation.overlap) = (2_000, 10) }
            return observation
        }
    }

    private static func verdicts(
        _ plan: StoryPlan, clients: Int, _ observations: [StoryObservation], endings: [StoryEnding] = [],
        violations: [String] = []
    ) -> [StoryVerdict] {
        StoryJudge(plan, clients: clients, observations, endings: endings, journalViolations: violations).verdicts()
    }

    /// Those that are not met.
    private static func unmet(
        _ plan: StoryPlan, clients: Int = 1, _ observations: [StoryObservation], endings: [StoryEnding] = []
    ) -> [String] {
        verdicts(plan, clients: clients, observations, endings: endings).filter { !$0.isMet }.map {
            "\($0.text): \($0.measured)"
        }
    }

    @Test func everythingWasSeen() throws {
        let plan = try Self.plan()
        let verdicts = Self.verdicts(plan, clients: 1, Self.seen(plan, 1))
        #expect(verdicts.allSatisfy { $0.isMet }, "\(verdicts.filter { !$0.isMet })")
        #expect(verdicts.count == plan.steps.count + plan.expectations.count)
        #expect(verdicts[1].text == "message is seen by every side" && verdicts[1].measured == "500 ms")
        #expect(verdicts[1].position == plan.steps[1].position)
        let many = Self.verdicts(plan, clients: 2, Self.seen(plan, 1) + Self.seen(plan, 2, milliseconds: 900))
        #expect(many.allSatisfy { $0.isMet } && many[1].measured == "all 2, 900 ms at most")
    }

    @Test func aStepThatOneSideHasNotSeenIsNotDone() throws {
        let plan = try Self.plan()
        var observations = Self.seen(plan, 1)
        let talk = try #require(observations.firstIndex { $0.step == "talk" })
        observations[talk].sights[.agent] = [.pictures]
        #expect(
            Self.unmet(plan, observations) == [
                "talk is seen by every side: 0 of 1", "the agent sees tone in talk: 0 of 1",
            ])
        observations[talk].sights[.agent] = nil
        #expect(Self.unmet(plan, observations).count == 2)
    }

    @Test func aStoryThatBreaksOffIsTold() throws {
        let plan = try Self.plan()
        let half = Self.seen(plan, 2).prefix { $0.step != "talk" }
        let ending = StoryEnding(client: 2, step: "talk", reason: "the agent has not seen it: nothing came")
        let unmet = Self.unmet(plan, clients: 2, Self.seen(plan, 1) + half, endings: [ending])
        #expect(unmet.first == "talk is seen by every side: 1 of 2; story 2: the agent has not seen it: nothing came")
        #expect(unmet.contains("end is seen by every side: 1 of 2"))
        #expect(unmet.contains("talk takes < 2000 ms: measured in 1 of 2"))
        #expect(!unmet.contains { $0.hasPrefix("stories that are whole") }, "half of them are enough here")
        let none = Self.unmet(plan, clients: 1, [], endings: [StoryEnding(client: 1, step: "start", reason: "x")])
        #expect(none.contains("stories that are whole: >= 50 %: 0 %"))
        #expect(none.first == "start is seen by every side: 0 of 1; story 1: x")
    }

    @Test func theWorstOfAllIsMeasured() throws {
        let plan = try Self.plan()
        var slow = Self.seen(plan, 2, milliseconds: 2_500)
        #expect(
            Self.unmet(plan, clients: 2, Self.seen(plan, 1) + slow) == ["talk takes < 2000 ms: 2500 ms"])
        slow = Self.seen(plan, 2)
        let greeting = try #require(slow.firstIndex { $0.step == "greeting" })
        (slow[greeting].greeting, slow[greeting].overlap) = (200, 21)
        #expect(
            Self.unmet(plan, clients: 2, Self.seen(plan, 1) + slow) == [
                "the greeting is heard for > 1000 ms: 200 ms",
                "greeting and call are heard together for <= 20 ms: 21 ms",
            ])
    }

    @Test func anotherProviderIsNamed() throws {
        let plan = try Self.plan()
        var observations = Self.seen(plan, 1)
        let talk = try #require(observations.firstIndex { $0.step == "talk" })
        observations[talk].providers[.agent] = .opentok
        #expect(Self.unmet(plan, observations) == ["the agent's call goes by livekit: opentok"])
        observations[talk].providers = [:]
        #expect(Self.unmet(plan, observations).count == 2)
    }

    @Test func theJournalsViolationsAreTold() throws {
        let plan = try Self.plan()
        let verdict = Self.verdicts(plan, clients: 1, Self.seen(plan, 1), violations: ["a", "b", "c", "d"]).last
        #expect(verdict?.isMet == false && verdict?.measured == "4: a; b; c" && verdict?.who == nil)
    }
}
