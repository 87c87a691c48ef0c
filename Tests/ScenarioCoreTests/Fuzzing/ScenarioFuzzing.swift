import ScenarioCore

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum ScenarioFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("scenario", { scenario($0) })
    ]

    /// A text is a plan that keeps to its bounds and can be judged, or it is told what is wrong with it.
    package static func scenario(_ input: UnsafeRawBufferPointer) {
        do throws(ScenarioProblems) {
            switch try ScenarioReader.document(String(decoding: input, as: UTF8.self)) {
            case .scenario(let plan):
                check(plan)
                judge(plan)
            case .story(let plan): check(plan)
            }
        } catch {
            precondition((1...100).contains(error.problems.count))
            for problem in error.problems {
                precondition(problem.position.line >= 1 && problem.position.column >= 1 && !problem.text.isEmpty)
                precondition(!problem.text.unicodeScalars.contains { $0.value < 32 }, "a message is one line")
            }
        }
    }

    private static func check(_ plan: ScenarioPlan) {
        precondition((1...ScenarioLimits.people).contains(plan.people.count))
        precondition(plan.steps.count <= ScenarioLimits.steps)
        precondition((1000...ScenarioLimits.durationMs).contains(plan.durationMs))
        precondition(zip(plan.steps, plan.steps.dropFirst()).allSatisfy { $0.atMs <= $1.atMs })
        let names = Set(plan.people.map(\.identity))
        precondition(names.count == plan.people.count)
        for step in plan.steps {
            precondition((0..<plan.durationMs).contains(step.atMs) && step.who.map(names.contains) ?? true)
        }
        for person in plan.people { precondition(person.network.map { plan.networks[$0] != nil } ?? true) }
    }

    /// Whoever plays it finds a beginning and an end, and nothing that is not judged.
    private static func check(_ plan: StoryPlan) {
        precondition((1...StoryLimits.clients).contains(plan.clients) && plan.steps.count <= StoryLimits.steps)
        precondition(plan.steps.contains { $0.action == .start } && plan.steps.contains { $0.action == .end })
        precondition(Set(plan.steps.map(\.name)).count == plan.steps.count)
        for case .coBrowsing(let mask) in plan.steps.map(\.action) {
            precondition(mask.isOnScreen && !mask.overlaps(.field))
        }
        let judge = StoryJudge(plan, clients: plan.clients, [], endings: [], journalViolations: [])
        let verdicts = judge.verdicts()
        precondition(verdicts.count == plan.steps.count + plan.expectations.count)
        precondition(verdicts.prefix(plan.steps.count).allSatisfy { !$0.isMet }, "nothing was seen")
        for expectation in plan.expectations { precondition(expectation.step.map { plan[$0] != nil } ?? true) }
    }

    /// What must be met is met by nothing at all only where that is what it asks for.
    private static func judge(_ plan: ScenarioPlan) {
        let judge = ScenarioJudge(plan, [], journalViolations: [])
        let verdicts = judge.verdicts()
        precondition(verdicts.count == plan.expectations.count && !verdicts.isEmpty)
        let presence = PresencePlan(plan)
        for verdict in verdicts {
            guard case .receives(let media, let sender, let limits) = verdict.expectation.claim else { continue }
            let receiver = verdict.expectation.who ?? ""
            precondition(!presence.flow(media, from: sender, to: receiver).isEmpty)
            precondition(!verdict.isMet || limits.share.holds(0))
        }
    }
}
