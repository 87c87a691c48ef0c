/// Judges what was shown, recorded and spoken to somebody.
struct ShownJudge {
    private let expectation: Expectation
    private let seen: Observation
    private let endMs: Int

    init(_ expectation: Expectation, _ seen: Observation, endMs: Int) {
        self.expectation = expectation
        self.seen = seen
        self.endMs = endMs
    }

    func judge() -> Verdict {
        let who = seen.identity
        switch expectation.claim {
        case .speaker(let wanted):
            return shown(wanted, seen.shown.speakers, "\(who) is shown \(wanted) as the speaker")
        case .indicator(let wanted): return shown(wanted, seen.shown.indicator, "\(who)'s indicator shows \(wanted)")
        case .recorded(let from, let length, let tracks): return recorded(from, length, tracks)
        case .greeting(let limit):
            return measure(seen.greeting?.playedMs, limit, "\(who) hears the greeting for", "there was no greeting")
        case .overlap(let limit):
            return measure(
                seen.greeting?.overlapMs, limit, "\(who) hears greeting and call at once for", "there was no greeting")
        default: return Verdict(expectation, "", isMet: false, measured: "nothing judges this")
        }
    }

    /// What is shown at the end of the window.
    private func shown(_ wanted: String, _ moments: [ShownObservation.Moment], _ text: String) -> Verdict {
        let until = min(expectation.window?.upperBound ?? endMs, endMs)
        let last = moments.last { $0.atMs <= until }?.value
        return Verdict(
            expectation, "\(text) at \(Decimal.text(Double(until) / 1000)) s", isMet: last == wanted,
            measured: last ?? "nothing yet")
    }

    private func measure(_ value: Double?, _ limit: Limit, _ text: String, _ absent: String) -> Verdict {
        Verdict(
            expectation, "\(text) \(limit)", isMet: value.map(limit.holds) ?? false,
            measured: value.map { Limit.text($0, limit.unit) } ?? absent)
    }

    private func recorded(_ from: String, _ length: Limit?, _ tracks: Limit?) -> Verdict {
        var text = "\(seen.identity) has a recording of \(from)"
        if let length { text += ", \(length) long" }
        if let tracks { text += ", with tracks \(tracks)" }
        guard let file = seen.recordings.first(where: { $0.from == from }) else {
            return Verdict(expectation, text, isMet: false, measured: "there is none")
        }
        if let failure = file.failure { return Verdict(expectation, text, isMet: false, measured: failure) }
        let isMet = length.map { $0.holds(file.lengthMs) } ?? true
        return Verdict(
            expectation, text, isMet: isMet && (tracks.map { $0.holds(Double(file.tracks)) } ?? true),
            measured: "\(Limit.text(file.lengthMs, .duration)), \(file.tracks) tracks")
    }
}
