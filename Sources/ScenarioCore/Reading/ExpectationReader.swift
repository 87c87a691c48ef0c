/// Reads `expect`. One item may claim several things of several people: each becomes an expectation of its own.
struct ExpectationReader {
    private let plan: ScenarioPlan
    private let cast: Cast
    private let problems: ProblemList
    private let presence: PresencePlan
    private var expectations: [Expectation] = []

    init(_ plan: ScenarioPlan, _ cast: Cast, _ problems: ProblemList) {
        self.plan = plan
        self.cast = cast
        self.problems = problems
        presence = PresencePlan(plan)
    }

    mutating func read(_ file: MappingReader) -> [Expectation] {
        for node in file.list("expect") {
            guard let reader = MappingReader(node, ScenarioKeys.expectation, problems) else { continue }
            add(reader)
            guard expectations.count <= ScenarioLimits.expectations else {
                reader.problems.add(
                    reader.position, "these are more than \(ScenarioLimits.expectations) expectations in all")
                break
            }
        }
        if expectations.isEmpty, problems.isEmpty {
            file.complain("expect", "nothing is expected; say what must be seen or heard")
        }
        return expectations
    }

    private mutating func add(_ reader: MappingReader) {
        let claims = ExpectationKeys.claims.map(\.name).filter { reader.has($0) }
        guard !claims.isEmpty else {
            return problems.add(
                reader.position,
                "nothing is claimed here; give one of \(ExpectationKeys.claims.map(\.name).joined(separator: ", "))")
        }
        checkMeasures(reader, claims)
        let window = readWindow(reader)
        if reader.choice("journal") != nil {
            expectations.append(
                Expectation(claim: .validJournal, position: reader.position(of: "journal")))
        }
        guard claims != ["journal"] else { return }
        guard let names = reader.names("who") else {
            return problems.add(reader.position, "whose expectation is it? give who: names, groups or all")
        }
        let people = cast.resolve(names, problems)
        for claim in claims {
            for (who, _) in people where expectations.count <= ScenarioLimits.expectations {
                add(claim, of: who, window, reader)
            }
        }
    }

    private func readWindow(_ reader: MappingReader) -> Range<Int>? {
        guard reader.has("from") || reader.has("until") else { return nil }
        let from = reader.duration("from") ?? 0
        let until = reader.duration("until") ?? plan.durationMs
        guard from < until, until <= plan.durationMs else {
            reader.complain(
                reader.has("until") ? "until" : "from",
                "\(from) ms to \(until) ms is no time within the scenario (\(plan.durationMs) ms)")
            return nil
        }
        if until - from < plan.sliceMs {
            reader.complain(
                "from", "\(until - from) ms are too short to be judged; samples are \(plan.sliceMs) ms long")
        }
        return from..<until
    }

    /// Measures without the claim that they measure.
    private func checkMeasures(_ reader: MappingReader, _ claims: [String]) {
        let uses: [(key: String, claims: [String])] = [
            ("share", ["hears", "sees"]), ("concealment", ["hears"]), ("loss", ["hears", "sees"]),
            ("frames", ["hears", "sees"]), ("missing", ["sees"]), ("freezes", ["sees"]), ("freeze-ratio", ["sees"]),
            ("first-frame", ["hears", "sees"]), ("length", ["recorded"]), ("tracks", ["recorded"]),
        ]
        for use in uses where reader.has(use.key) && !use.claims.contains(where: claims.contains) {
            reader.complain(
                use.key, "\(use.key) measures \(use.claims.joined(separator: " or ")), which isn't claimed here")
        }
    }

    private mutating func add(_ claim: String, of who: String, _ window: Range<Int>?, _ reader: MappingReader) {
        switch claim {
        case "hears": addMedia(.audio, claim, of: who, window, reader)
        case "sees": addMedia(.video, claim, of: who, window, reader)
        case "not-hears", "not-sees": addAbsence(claim, of: who, window, reader)
        case "journal": break
        default:
            for claim in ClaimReader(reader, cast).claims(claim, of: who, in: plan) {
                append(claim.value, of: who, window, claim.position)
            }
        }
    }

    private mutating func append(
        _ claim: Expectation.Claim, of who: String, _ window: Range<Int>?, _ position: SourcePosition
    ) {
        expectations.append(Expectation(who: who, claim: claim, window: window, position: position))
    }

    // MARK: Media

    private mutating func addMedia(
        _ media: ScenarioMedia, _ key: String, of who: String, _ window: Range<Int>?, _ reader: MappingReader
    ) {
        guard let names = reader.names(key) else { return }
        if names.count == 1, let only = names.first, only.name == "nobody" {
            for person in publishers(media, but: who) { addNot(media, person, only.position, of: who, window) }
            return
        }
        let limits = MediaLimits(media, reader)
        for (person, position) in resolve(names, media, but: who) {
            guard person != who else {
                problems.add(position, "nobody \(key) themselves; take \(who) out")
                continue
            }
            let flow = presence.flow(media, from: person, to: who)
            let judged = window.map { flow.intersection(Intervals($0)) } ?? flow
            guard !judged.slices(of: plan.sliceMs).isEmpty else {
                let why =
                    presence.obstacle(media, from: person, to: who)
                    ?? "by the plan \(person) sends nothing then that could be there in time; look at join, leave, mute, "
                    + "speaks and grace"
                problems.add(position, "\(who) can't meet this: \(why)")
                continue
            }
            append(.receives(media, from: person, limits), of: who, window, position)
        }
    }

    private mutating func addAbsence(_ key: String, of who: String, _ window: Range<Int>?, _ reader: MappingReader) {
        let media: ScenarioMedia = key == "not-hears" ? .audio : .video
        guard let names = reader.names(key) else { return }
        for (person, position) in resolve(names, media, but: who) where person != who {
            addNot(media, person, position, of: who, window)
        }
    }

    private mutating func addNot(
        _ media: ScenarioMedia, _ person: String, _ position: SourcePosition, of who: String, _ window: Range<Int>?
    ) {
        let flow = presence.flow(media, from: person, to: who)
        let planned = window.map { flow.intersection(Intervals($0)) } ?? flow
        guard planned.slices(of: plan.sliceMs).isEmpty else {
            let from = planned.ranges.first?.lowerBound ?? 0
            return problems.add(
                position,
                "\(who) can't miss \(person): by the plan media flows from \(from) ms on; give a window in which it doesn't"
            )
        }
        append(.receivesNot(media, from: person), of: who, window, position)
    }

    private func resolve(
        _ names: [(name: String, position: SourcePosition)], _ media: ScenarioMedia, but who: String
    ) -> [(identity: String, position: SourcePosition)] {
        guard let others = names.first(where: { $0.name == "others" }) else { return cast.resolve(names, problems) }
        return publishers(media, but: who).map { ($0, others.position) }
    }

    private func publishers(_ media: ScenarioMedia, but who: String) -> [String] {
        plan.people.filter { person in
            person.identity != who && (media == .audio ? person.media.sound != nil : person.media.card != nil)
        }.map(\.identity)
    }
}

extension MediaLimits {
    /// An item may claim that somebody is heard and seen: each takes the measures that are its own.
    init(_ media: ScenarioMedia, _ reader: MappingReader) {
        self.init()
        share = reader.limit("share") ?? share
        loss = reader.limit("loss")
        frames = reader.limit("frames")
        firstFrame = reader.limit("first-frame")
        switch media {
        case .audio: concealment = reader.limit("concealment")
        case .video:
            missing = reader.limit("missing")
            freezes = reader.limit("freezes")
            freezeRatio = reader.limit("freeze-ratio")
        }
    }
}
