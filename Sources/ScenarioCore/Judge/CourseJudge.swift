/// Judges what somebody was told, and how their call went.
struct CourseJudge {
    private let expectation: Expectation
    private let seen: Observation

    init(_ expectation: Expectation, _ seen: Observation) {
        self.expectation = expectation
        self.seen = seen
    }

    func judge() -> Verdict {
        let who = seen.identity
        switch expectation.claim {
        case .meets(let people): return meets(people)
        case .joinTime(let limit): return joinTime(limit)
        case .reconnects(let limit):
            return count(Double(seen.gapsMs.count), limit, "\(who)'s connection is made anew")
        case .gap(let limit): return gap(limit)
        case .ended(let ending):
            return word("\(who)'s call ends: \(ending.rawValue)", seen.ending == ending, seen.ending.rawValue)
        case .provider(let provider):
            let name = seen.joining.provider?.rawValue ?? "nobody"
            return word("\(provider.rawValue) carries \(who)'s call", seen.joining.provider == provider, name)
        case .providerChanges(let limit):
            return count(Double(seen.joining.providerChanges), limit, "another provider steps in for \(who)")
        case .ring(let outcome):
            return word("\(who)'s ringing: \(outcome.rawValue)", seen.ring == outcome, seen.ring.rawValue)
        case .undecryptable(let limit):
            let frames = seen.tracks.values.reduce(0) { $0 + ($1.counts(in: nil, sliceMs: 1)?.undecryptable ?? 0) }
            return count(Double(frames), limit, "frames that \(who) can't decrypt")
        case .event(let name, let limit): return count(Double(seen.events[name] ?? 0), limit, "\(who) is told \(name)")
        default: return word("", false, "nothing judges this")
        }
    }

    private func word(_ text: String, _ isMet: Bool, _ measured: String) -> Verdict {
        Verdict(expectation, text, isMet: isMet, measured: measured)
    }

    private func count(_ value: Double, _ limit: Limit, _ text: String) -> Verdict {
        word("\(text) \(limit)", limit.holds(value), Limit.text(value, limit.unit))
    }

    private func meets(_ people: Set<String>) -> Verdict {
        let missing = people.subtracting(seen.met).sorted()
        let others = seen.met.subtracting(people).sorted()
        var measured: [String] = []
        if !missing.isEmpty { measured.append("not \(Self.list(missing))") }
        if !others.isEmpty { measured.append("also \(Self.list(others))") }
        let wanted = people.isEmpty ? "nobody" : Self.list(people.sorted())
        return word(
            "\(seen.identity) meets \(wanted)", measured.isEmpty,
            measured.isEmpty ? "\(seen.met.count) people" : measured.joined(separator: ", "))
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }

    private func joinTime(_ limit: Limit) -> Verdict {
        let text = "\(seen.identity) joins in \(limit)"
        guard let time = seen.joining.connectMs else {
            return word(text, false, seen.joining.failure ?? "media never connected")
        }
        return word(text, limit.holds(time), Limit.text(time, .duration))
    }

    private func gap(_ limit: Limit) -> Verdict {
        let text = "each gap of \(seen.identity)'s connection \(limit)"
        guard !seen.gapsMs.isEmpty else { return word(text, false, "the connection was never lost") }
        let broken = seen.gapsMs.filter { !limit.holds($0) }
        return word(
            text, broken.isEmpty, seen.gapsMs.map { Limit.text($0, .duration) }.joined(separator: ", "))
    }
}
