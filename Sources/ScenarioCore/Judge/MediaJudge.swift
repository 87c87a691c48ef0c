/// Judges whether somebody hears and sees somebody, and how well.
struct MediaJudge {
    private let judge: ScenarioJudge
    private let expectation: Expectation
    private let seen: Observation

    init(_ judge: ScenarioJudge, _ expectation: Expectation, _ seen: Observation) {
        self.judge = judge
        self.expectation = expectation
        self.seen = seen
    }

    private var sliceMs: Int { judge.plan.sliceMs }

    private var windowText: String {
        expectation.window.map {
            " from \(Decimal.text(Double($0.lowerBound) / 1000)) s to "
                + "\(Decimal.text(Double($0.upperBound) / 1000)) s"
        } ?? ""
    }

    // MARK: Presence of media

    func judge(_ media: ScenarioMedia, from: String, _ limits: MediaLimits) -> Verdict {
        let verb = media == .audio ? "hears" : "sees"
        let track = seen.tracks[TrackKey(from: from, media: media)] ?? TrackObservation()
        var wanted = ["\(limits.share.description) of the time"]
        var measured: [String] = []
        var isMet = true
        let share = self.share(media, from, track)
        if let share {
            isMet = limits.share.holds(share.percent)
            measured.append(share.text)
        } else {
            isMet = false
            measured.append("the run ended before it could be judged")
        }
        for check in checks(limits, track) {
            wanted.append("\(check.name) \(check.limit)")
            guard let value = check.value else {
                isMet = false
                measured.append("no \(check.name)")
                continue
            }
            isMet = isMet && check.limit.holds(value)
            measured.append("\(check.name) \(Limit.text(value, check.limit.unit))")
        }
        return Verdict(
            expectation, "\(seen.identity) \(verb) \(from)\(windowText), \(wanted.joined(separator: ", "))",
            isMet: isMet,
            measured: measured.joined(separator: ", "))
    }

    /// Of the slices in which media must flow, how many had the right one; nil where there was none.
    private func share(_ media: ScenarioMedia, _ from: String, _ track: TrackObservation) -> (
        percent: Double, text: String
    )? {
        let flow = judge.presence.flow(media, from: from, to: seen.identity)
            .intersection(Intervals(expectation.window ?? 0..<judge.plan.durationMs)).intersection(
                Intervals(0..<judge.endMs))
        let due = flow.slices(of: sliceMs)
        guard !due.isEmpty else { return nil }
        let right = due.count { (track.slices[$0]?.right ?? 0) > 0 }
        let wrong = due.reduce(0) { $0 + (track.slices[$1]?.wrong ?? 0) }
        let percent = Double(right) * 100 / Double(due.count)
        var text = "\(Decimal.text(percent)) % of \(Decimal.text(Double(due.count * sliceMs) / 1000)) s"
        if wrong > 0 { text += ", \(wrong) frames of somebody else" }
        return (percent, text)
    }

    private typealias Check = (name: String, limit: Limit, value: Double?)

    private func checks(_ limits: MediaLimits, _ track: TrackObservation) -> [Check] {
        let counts = track.counts(in: expectation.window, sliceMs: sliceMs)
        let due = Double(track.samples.count * sliceMs)
        let possible: [(String, Limit?, Double?)] = [
            ("concealment", limits.concealment, counts.flatMap { Self.percent($0.concealedMs, of: $0.playedMs) }),
            (
                "loss", limits.loss,
                counts.flatMap { Self.percent(Double($0.packetsLost), of: Double($0.packetsLost + $0.packetsReceived)) }
            ),
            ("frames", limits.frames, counts.map { Double($0.frames) }),
            ("missing", limits.missing, counts.map { Double($0.missing) }),
            ("freezes", limits.freezes, counts.map { Double($0.freezes) }),
            ("freeze-ratio", limits.freezeRatio, counts.flatMap { Self.percent($0.frozenMs, of: windowLength ?? due) }),
            ("first-frame", limits.firstFrame, counts.flatMap(\.firstFrameMs)),
        ]
        return possible.compactMap { name, limit, value in limit.map { (name, $0, value) } }
    }

    private var windowLength: Double? { expectation.window.map { Double($0.count) } }

    private static func percent(_ part: Double, of whole: Double) -> Double? { whole > 0 ? part * 100 / whole : nil }

    // MARK: Absence

    func judgeAbsence(_ media: ScenarioMedia, from: String) -> Verdict {
        let window = (expectation.window ?? 0..<judge.plan.durationMs).clamped(to: 0..<judge.endMs)
        let track = seen.tracks[TrackKey(from: from, media: media)]
        let came = Intervals(window).slices(of: sliceMs).filter { (track?.slices[$0]?.right ?? 0) > 0 }
        let verb = media == .audio ? "does not hear" : "does not see"
        let first = came.first.map { Decimal.text(Double($0 * sliceMs) / 1000) } ?? ""
        return Verdict(
            expectation, "\(seen.identity) \(verb) \(from)\(windowText)", isMet: came.isEmpty,
            measured: came.isEmpty
                ? "nothing" : "\(Decimal.text(Double(came.count * sliceMs) / 1000)) s of it, from \(first) s on")
    }
}
