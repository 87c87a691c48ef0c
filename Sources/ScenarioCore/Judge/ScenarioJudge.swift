/// Holds what was observed against what was expected.
package struct ScenarioJudge {
    let plan: ScenarioPlan
    let presence: PresencePlan
    /// Of people who were never there too.
    let observations: [String: Observation]
    let journalViolations: [String]
    /// Where the run ended; later than that nothing is asked.
    let endMs: Int

    /// - Parameter endMs: before the plan's end where the run was interrupted.
    package init(
        _ plan: ScenarioPlan, _ observations: [Observation], journalViolations: [String], endMs: Int? = nil
    ) {
        self.plan = plan
        presence = PresencePlan(plan)
        self.observations = Dictionary(observations.map { ($0.identity, $0) }) { first, _ in first }
        self.journalViolations = journalViolations
        self.endMs = endMs ?? plan.durationMs
    }

    /// One verdict for each expectation, in the file's order.
    package func verdicts() -> [Verdict] { plan.expectations.map(judge) }

    package func judge(_ expectation: Expectation) -> Verdict {
        guard let who = expectation.who else { return judgeJournal(expectation) }
        let seen = observations[who] ?? Observation(identity: who)
        switch expectation.claim {
        case .receives(let media, let from, let limits):
            return MediaJudge(self, expectation, seen).judge(media, from: from, limits)
        case .receivesNot(let media, let from):
            return MediaJudge(self, expectation, seen).judgeAbsence(media, from: from)
        case .speaker, .indicator, .recorded, .greeting, .overlap:
            return ShownJudge(expectation, seen, endMs: endMs).judge()
        default: return CourseJudge(expectation, seen).judge()
        }
    }

    private func judgeJournal(_ expectation: Expectation) -> Verdict {
        Verdict(
            expectation, "the journal breaks no rule", isMet: journalViolations.isEmpty,
            measured: journalViolations.isEmpty
                ? "no violation" : "\(journalViolations.count): \(journalViolations.prefix(3).joined(separator: "; "))")
    }
}
