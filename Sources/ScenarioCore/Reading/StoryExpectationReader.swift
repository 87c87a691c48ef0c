/// Reads a story's `expect`. One item may claim several things of several sides: each becomes an expectation of its own.
struct StoryExpectationReader {
    private static let claims = ["sees", "provider", "took", "greeting", "overlap", "whole", "journal"]
    private let plan: StoryPlan
    private let problems: ProblemList

    init(_ plan: StoryPlan, _ problems: ProblemList) {
        self.plan = plan
        self.problems = problems
    }

    func read(_ file: MappingReader) -> [StoryExpectation] {
        file.list("expect").flatMap { node in
            MappingReader(node, StoryKeys.expectation, problems).map(read(item:)) ?? []
        }
    }

    private func read(item reader: MappingReader) -> [StoryExpectation] {
        let claims = Self.claims.filter(reader.has)
        if claims.isEmpty {
            problems.add(reader.position, "nothing is claimed here; give one of \(Self.claims.joined(separator: ", "))")
        }
        if reader.has("who"), !claims.contains("sees"), !claims.contains("provider") {
            reader.complain("who", "who is for sees and provider; leave it out")
        }
        return claims.flatMap { claim in
            switch claim {
            case "whole": whole(reader)
            case "journal": reader.choice(claim) == nil ? [] : [expectation(.validJournal, in: nil, claim, reader)]
            default: step(claim, reader).map { read(claim, of: $0, reader) } ?? []
            }
        }
    }

    private func whole(_ reader: MappingReader) -> [StoryExpectation] {
        reader.limit("whole").map { [expectation(.whole($0), in: nil, "whole", reader)] } ?? []
    }

    /// The step that a claim is about.
    private func step(_ claim: String, _ reader: MappingReader) -> PlannedStoryStep? {
        guard let name = reader.text("step") else {
            if !reader.has("step") { reader.complain(claim, "in which step? give step: the name of one") }
            return nil
        }
        guard let step = plan[name] else {
            let remedy = Nearest.remedy(for: name, among: plan.steps.map(\.name))
            reader.complain("step", "there is no step \"\(name.shortened)\"; \(remedy)")
            return nil
        }
        return step
    }

    private func read(_ claim: String, of step: PlannedStoryStep, _ reader: MappingReader) -> [StoryExpectation] {
        switch claim {
        case "sees": return sees(in: step, reader)
        case "provider": return provider(in: step, reader)
        case "took": return reader.limit(claim).map { [expectation(.took($0), in: step, claim, reader)] } ?? []
        default:
            guard step.action.word == .greeting else {
                reader.complain(claim, "\(claim) is measured in a greeting, and \(step.name.shortened) is none")
                return []
            }
            return reader.limit(claim).map {
                [expectation(claim == "greeting" ? .greeting($0) : .overlap($0), in: step, claim, reader)]
            } ?? []
        }
    }

    private func sides(_ claim: String, _ reader: MappingReader) -> [StorySide] {
        let sides = reader.choices("who")?.compactMap(StorySide.init) ?? []
        if !reader.has("who") {
            reader.complain(claim, "who \(claim == "sees" ? "sees it" : "is it")? give who: sides")
        }
        return sides
    }

    private func sees(in step: PlannedStoryStep, _ reader: MappingReader) -> [StoryExpectation] {
        let sights = step.action.word.sights
        let told = reader.node("sees").map(reader.items) ?? []
        let wanted = reader.choices("sees")?.compactMap(StorySight.init) ?? []
        // A word that is none has been told of.
        guard wanted.count == told.count else { return [] }
        return sides("sees", reader).flatMap { side in
            zip(wanted, told).compactMap { sight, node in
                let known = sights[side] ?? []
                guard known.contains(sight) else {
                    let words = known.map(\.rawValue).joined(separator: ", ")
                    problems.add(
                        node.position,
                        "the \(side.rawValue) has no \"\(sight.rawValue)\" to see in \(step.name.shortened); "
                            + (known.isEmpty ? "it sees nothing there" : "known: \(words)"))
                    return nil
                }
                return StoryExpectation(step: step.name, claim: .sees(side, sight), position: node.position)
            }
        }
    }

    private func provider(in step: PlannedStoryStep, _ reader: MappingReader) -> [StoryExpectation] {
        guard let provider = reader.choice("provider").flatMap(ScenarioProvider.init) else { return [] }
        guard step.action.word == .talk else {
            reader.complain("provider", "a call's provider is seen in a talk, and \(step.name.shortened) is none")
            return []
        }
        return sides("provider", reader).filter { side in
            let isClient = side == .visitor || side == .agent
            if !isClient { reader.complain("who", "the \(side.rawValue) is in no call; name visitor or agent") }
            return isClient
        }.map { expectation(.provider($0, provider), in: step, "provider", reader) }
    }

    private func expectation(
        _ claim: StoryExpectation.Claim, in step: PlannedStoryStep?, _ key: String, _ reader: MappingReader
    ) -> StoryExpectation {
        StoryExpectation(step: step?.name, claim: claim, position: reader.position(of: key))
    }
}
