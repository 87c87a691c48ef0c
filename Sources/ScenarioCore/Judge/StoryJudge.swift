/// What one step of one story came to.
package struct StoryObservation: Sendable, Hashable {
    /// The story's number, from 1.
    package var client: Int
    /// The step's name.
    package var step: String
    package var milliseconds: Double
    /// What each side saw.
    package var sights: [StorySide: Set<StorySight>] = [:]
    /// Of calls.
    package var providers: [StorySide: ScenarioProvider] = [:]
    /// Milliseconds for which the greeting was heard, and for which it was together with the call.
    package var greeting: Double?
    package var overlap: Double?

    package init(client: Int, step: String, milliseconds: Double) {
        self.client = client
        self.step = step
        self.milliseconds = milliseconds
    }
}

/// Where a story broke off.
package struct StoryEnding: Sendable, Hashable {
    package var client: Int
    package var step: String
    package var reason: String

    package init(client: Int, step: String, reason: String) {
        self.client = client
        self.step = step
        self.reason = reason
    }
}

/// What came of a step or of an expectation.
package struct StoryVerdict: Sendable, Hashable {
    package var position: SourcePosition
    package var who: String?
    package var text: String
    package var isMet: Bool
    package var measured: String
}

/// Holds stories against their file: each step has to be seen in each of them, and each expectation met.
package struct StoryJudge {
    private let plan: StoryPlan
    private let clients: Int
    private let observations: [String: [StoryObservation]]
    private let endings: [StoryEnding]
    private let journalViolations: [String]

    /// - Parameters:
    ///   - clients: stories that were played.
    ///   - endings: of those that broke off.
    package init(
        _ plan: StoryPlan, clients: Int, _ observations: [StoryObservation], endings: [StoryEnding],
        journalViolations: [String]
    ) {
        self.plan = plan
        self.clients = clients
        self.observations = Dictionary(grouping: observations, by: \.step)
        self.endings = endings
        self.journalViolations = journalViolations
    }

    /// One for each step, then one for each expectation, in the file's order.
    package func verdicts() -> [StoryVerdict] { plan.steps.map(judge) + plan.expectations.map(judge) }

    private func seen(_ step: String) -> [StoryObservation] { observations[step] ?? [] }

    // MARK: Steps

    /// A step is done where every side has seen what is to be seen in it.
    private func judge(_ step: PlannedStoryStep) -> StoryVerdict {
        let done = seen(step.name).filter { observation in
            step.action.word.sights.allSatisfy { side, sights in
                observation.sights[side]?.isSuperset(of: sights) ?? sights.isEmpty
            }
        }
        let slowest = done.map(\.milliseconds).max() ?? 0
        var measured = "\(done.count) of \(clients)"
        if done.count == clients {
            measured =
                "\(clients == 1 ? "" : "all \(clients), ")\(Decimal.text(slowest)) ms\(clients == 1 ? "" : " at most")"
        } else if let ending = endings.first(where: { $0.step == step.name }) {
            measured += "; story \(ending.client): \(ending.reason)"
        }
        return StoryVerdict(
            position: step.position, text: "\(step.name) is seen by every side", isMet: done.count == clients,
            measured: measured)
    }

    // MARK: Expectations

    private func judge(_ expectation: StoryExpectation) -> StoryVerdict {
        let step = expectation.step ?? ""
        let (who, text, measured): (StorySide?, String, (isMet: Bool, text: String)) =
            switch expectation.claim {
            case .sees(let side, let sight):
                (side, "the \(side.rawValue) sees \(sight.rawValue) in \(step)", sees(side, sight, step))
            case .provider(let side, let provider):
                (side, "the \(side.rawValue)'s call goes by \(provider.rawValue)", carried(side, provider, step))
            case .took(let limit): (nil, "\(step) takes \(limit)", each(step, limit) { $0.milliseconds })
            case .greeting(let limit):
                (.visitor, "the greeting is heard for \(limit)", each(step, limit) { $0.greeting })
            case .overlap(let limit):
                (.visitor, "greeting and call are heard together for \(limit)", each(step, limit) { $0.overlap })
            case .whole(let limit): (nil, "stories that are whole: \(limit)", whole(limit))
            case .validJournal: (nil, "the journal breaks no rule", journal)
            }
        return StoryVerdict(
            position: expectation.position, who: who?.rawValue, text: text, isMet: measured.isMet,
            measured: measured.text)
    }

    private func sees(_ side: StorySide, _ sight: StorySight, _ step: String) -> (Bool, String) {
        count(seen(step).count { $0.sights[side]?.contains(sight) ?? false })
    }

    private func carried(_ side: StorySide, _ provider: ScenarioProvider, _ step: String) -> (Bool, String) {
        let other = seen(step).compactMap { $0.providers[side] }.first { $0 != provider }
        if let other { return (false, other.rawValue) }
        return count(seen(step).count { $0.providers[side] == provider })
    }

    private func count(_ met: Int) -> (Bool, String) { (met == clients, "\(met) of \(clients)") }

    /// A limit that every story has to keep; the one that is told keeps it least.
    private func each(
        _ step: String, _ limit: Limit, _ measure: (StoryObservation) -> Double?
    ) -> (Bool, String) {
        let values = seen(step).compactMap(measure)
        guard values.count == clients else { return (false, "measured in \(values.count) of \(clients)") }
        let worst = values.first { !limit.holds($0) }
        guard let shown = worst ?? values.max() else { return (false, "not measured") }
        return (worst == nil, Limit.text(shown, limit.unit))
    }

    private func whole(_ limit: Limit) -> (Bool, String) {
        let share = clients > 0 ? 100 * Double(clients - Set(endings.map(\.client)).count) / Double(clients) : 0
        return (limit.holds(share), Limit.text(share, .percent))
    }

    private var journal: (Bool, String) {
        let first = journalViolations.prefix(3).joined(separator: "; ")
        return journalViolations.isEmpty ? (true, "no violation") : (false, "\(journalViolations.count): \(first)")
    }
}
