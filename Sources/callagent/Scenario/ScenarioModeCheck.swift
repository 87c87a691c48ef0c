import ScenarioCore

/// What a mode can't do of what a scenario asks for: said with its line and the remedy, before anything starts.
enum ScenarioModeCheck {
    /// - Parameter hasServer: the server is another's.
    static func problems(_ plan: ScenarioPlan, in mode: ScenarioMode, hasServer: Bool) -> [ScenarioProblem] {
        if !plan.modes.contains(mode) {
            let other: ScenarioMode = mode == .virtual ? .sockets : .virtual
            let remedy = other == .virtual ? "run it with --virtual" : "run it without --virtual"
            return [
                ScenarioProblem(
                    plan.modesPosition,
                    "this scenario is for the mode \(other.rawValue): \(remedy), or add \(mode.rawValue) to modes")
            ]
        }
        switch mode {
        case .virtual: return virtual(plan)
        case .sockets: return sockets(plan, hasServer: hasServer)
        }
    }

    /// A story starts processes and listens on ports of its own.
    static func problems(_ plan: StoryPlan, in mode: ScenarioMode, hasServer: Bool) -> [ScenarioProblem] {
        if mode == .virtual {
            return [
                ScenarioProblem(plan.position, "a story needs processes and sockets; run it without --virtual")
            ]
        }
        guard hasServer else { return [] }
        return [ScenarioProblem(plan.position, "a story brings its server with it; leave --url out")]
    }

    private static func virtual(_ plan: ScenarioPlan) -> [ScenarioProblem] {
        var problems: [ScenarioProblem] = []
        let dialects = Set(plan.people.compactMap(\.provider))
        for person in plan.people {
            if person.greeting != nil {
                problems.append(
                    ScenarioProblem(
                        person.position,
                        "\(person.identity)'s greeting is played in real time; run it without --virtual, or leave it out"
                    ))
            }
            if let provider = person.provider, dialects.count > 1 || plan.providers.order != [provider] {
                problems.append(
                    ScenarioProblem(
                        person.position,
                        "\(person.identity) speaks \(provider.rawValue): the simulated server speaks no dialects; run it "
                            + "without --virtual, or leave provider out"))
            }
        }
        for profile in plan.networks.values.compactMap(\.profile) where profile.text.contains("rebind=") {
            problems.append(
                ScenarioProblem(
                    profile.position,
                    "rebind is for sockets; let the timeline roam to address: new, or run it without --virtual"))
        }
        return problems
    }

    private static func sockets(_ plan: ScenarioPlan, hasServer: Bool) -> [ScenarioProblem] {
        var problems: [ScenarioProblem] = []
        for step in plan.steps {
            if case .stopProvider = step.action, hasServer {
                problems.append(
                    ScenarioProblem(step.position, "a server of --url is not ours to stop; leave --url out"))
            }
        }
        if hasServer, !plan.providers.down.isEmpty {
            problems.append(
                ScenarioProblem(plan.modesPosition, "down names providers of our own; leave --url out"))
        }
        return problems
    }
}
