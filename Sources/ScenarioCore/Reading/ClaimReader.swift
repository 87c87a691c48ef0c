/// Reads claims that are not about media.
struct ClaimReader {
    typealias Claim = (value: Expectation.Claim, position: SourcePosition)

    private let reader: MappingReader
    private let cast: Cast

    init(_ reader: MappingReader, _ cast: Cast) {
        self.reader = reader
        self.cast = cast
    }

    func claims(_ key: String, of who: String, in plan: ScenarioPlan) -> [Claim] {
        let position = reader.position(of: key)
        switch key {
        case "meets": return [(.meets(Set(people(key, but: who).map(\.identity))), position)]
        case "recorded": return recordings(of: who, in: plan)
        case "events": return events
        case "speaker": return people(key, but: "").prefix(1).map { (.speaker($0.identity), $0.position) }
        default: return (limit(key) ?? word(key)).map { [($0, position)] } ?? []
        }
    }

    private func limit(_ key: String) -> Expectation.Claim? {
        switch key {
        case "join-time": reader.limit(key).map { .joinTime($0) }
        case "reconnects": reader.limit(key).map { .reconnects($0) }
        case "gap": reader.limit(key).map { .gap($0) }
        case "provider-changes": reader.limit(key).map { .providerChanges($0) }
        case "greeting": reader.limit(key).map { .greeting($0) }
        case "overlap": reader.limit(key).map { .overlap($0) }
        case "undecryptable": reader.limit(key).map { .undecryptable($0) }
        default: nil
        }
    }

    private func word(_ key: String) -> Expectation.Claim? {
        switch key {
        case "ended": reader.choice(key).flatMap(ScenarioEnding.init).map { .ended($0) }
        case "provider": reader.choice(key).flatMap(ScenarioProvider.init).map { .provider($0) }
        case "indicator": reader.choice(key).map { .indicator($0) }
        case "ring": reader.choice(key).flatMap(ScenarioRingOutcome.init).map { .ring($0) }
        default: nil
        }
    }

    private func people(_ key: String, but who: String) -> [(identity: String, position: SourcePosition)] {
        guard let names = reader.names(key) else { return [] }
        if names.count == 1, names[0].name == "nobody" { return [] }
        if names.contains(where: { $0.name == "others" }) {
            return cast.identities.filter { $0 != who }.map { ($0, names[0].position) }
        }
        return cast.resolve(names, reader.problems).filter { $0.identity != who }
    }

    private func recordings(of who: String, in plan: ScenarioPlan) -> [Claim] {
        guard plan[who]?.reception.records == true else {
            reader.complain("recorded", "\(who) records nothing; give them record: true")
            return []
        }
        let (length, tracks) = (reader.limit("length"), reader.limit("tracks"))
        return people("recorded", but: who).map {
            (.recorded(from: $0.identity, length: length, tracks: tracks), $0.position)
        }
    }

    private var events: [Claim] {
        reader.list("events").compactMap { node in
            guard let item = MappingReader(node, ExpectationKeys.eventCount, reader.problems),
                let event = item.choice("event"), let count = item.limit("count")
            else { return nil }
            return (.event(event, count), item.position)
        }
    }
}
