/// What a file can be.
package enum ScenarioDocument: Sendable, Hashable {
    case scenario(ScenarioPlan)
    case story(StoryPlan)
}

/// Reads a scenario file: YAML into nodes, nodes into a plan. All that is wrong is told at once.
package enum ScenarioReader {
    /// A scenario, or a story where the file has the key `story`. Throws `ScenarioProblems`.
    package static func document(_ text: String) throws(ScenarioProblems) -> ScenarioDocument {
        let root = try YAMLText.read(text)
        guard case .mapping(let entries) = root.content, entries.contains(where: { $0.key == "story" }) else {
            return .scenario(try plan(root))
        }
        return .story(try StoryReader.plan(root))
    }

    /// A story. Throws `ScenarioProblems`.
    package static func story(_ text: String) throws(ScenarioProblems) -> StoryPlan {
        try StoryReader.plan(YAMLText.read(text))
    }

    /// Throws `ScenarioProblems`, each with its line and column.
    package static func read(_ text: String) throws(ScenarioProblems) -> ScenarioPlan {
        try plan(YAMLText.read(text))
    }

    static func plan(_ root: ScenarioNode) throws(ScenarioProblems) -> ScenarioPlan {
        let problems = ProblemList()
        guard let file = MappingReader(root, ScenarioKeys.file, problems) else {
            throw ScenarioProblems(problems.problems)
        }
        var plan = ScenarioPlan()
        readHead(file, &plan)
        plan.networks = NetworkReader(problems: problems).read(file)
        var people = PeopleReader(file, durationMs: plan.durationMs, networks: Set(plan.networks.keys))
        plan.people = people.read(file)
        assignTones(&plan)
        let cast = Cast(plan.people)
        var timeline = TimelineReader(plan, cast, problems)
        plan.steps = timeline.read(file)
        // What is expected is checked against the plan: a plan with mistakes in it would give others.
        guard problems.isEmpty else { throw ScenarioProblems(problems.problems) }
        var expectations = ExpectationReader(plan, cast, problems)
        plan.expectations = expectations.read(file)
        guard problems.isEmpty else { throw ScenarioProblems(problems.problems) }
        return plan
    }

    private static func readHead(_ file: MappingReader, _ plan: inout ScenarioPlan) {
        plan.name = file.text("scenario") ?? ""
        plan.about = file.text("description") ?? ""
        if let modes = file.choices("modes"), !modes.isEmpty {
            plan.modes = Set(modes.compactMap(ScenarioMode.init))
        }
        plan.modesPosition = file.position(of: "modes")
        // Where it is wrong nothing else is held against it.
        plan.durationMs = file.duration("duration") ?? ScenarioLimits.durationMs
        if plan.durationMs < 1000 { file.complain("duration", "a scenario lasts 1s to 24h") }
        plan.seed = UInt64(file.integer("seed") ?? 1)
        plan.room = file.text("room") ?? plan.room
        plan.timing.graceMs = file.duration("grace") ?? plan.timing.graceMs
        plan.timing.recoveryMs = file.duration("recovery") ?? plan.timing.recoveryMs
        readProviders(file, &plan.providers)
    }

    private static func readProviders(_ file: MappingReader, _ providers: inout ScenarioProviders) {
        var seen: Set<ScenarioProvider> = []
        if let order = file.choices("providers")?.compactMap(ScenarioProvider.init), !order.isEmpty {
            providers.order = order.filter { seen.insert($0).inserted }
        }
        providers.down = Set(file.choices("down")?.compactMap(ScenarioProvider.init) ?? [])
        for name in providers.down where !providers.order.contains(name) {
            file.complain("down", "\(name.rawValue) is none of providers; take it out, or put it in there")
        }
    }

    /// Tones of their own are far enough from each other to be told apart.
    private static func assignTones(_ plan: inout ScenarioPlan) {
        for index in plan.people.indices where plan.people[index].media.sound == .tone(0) {
            plan.people[index].media.sound = .tone(Double(300 + 60 * (index % 60)))
        }
    }
}
