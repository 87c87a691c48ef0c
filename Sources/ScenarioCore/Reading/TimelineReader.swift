/// Reads `timeline`, and puts with it what people's own keys say: joining, leaving, speaking.
struct TimelineReader {
    let problems: ProblemList
    let plan: ScenarioPlan
    let cast: Cast
    private var steps: [PlannedStep] = []

    init(_ plan: ScenarioPlan, _ cast: Cast, _ problems: ProblemList) {
        self.plan = plan
        self.cast = cast
        self.problems = problems
    }

    /// Sorted by time; what is due at once keeps the file's order.
    mutating func read(_ file: MappingReader) -> [PlannedStep] {
        for person in plan.people { addOwn(person) }
        for node in file.list("timeline") {
            if let reader = MappingReader(node, ScenarioKeys.step, problems) { add(reader) }
        }
        if steps.count > ScenarioLimits.steps {
            file.complain("timeline", "these are \(steps.count) steps; \(ScenarioLimits.steps) at most")
            return []
        }
        return steps.enumerated().sorted { ($0.element.atMs, $0.offset) < ($1.element.atMs, $1.offset) }.map(\.element)
    }

    private mutating func addOwn(_ person: PlannedPerson) {
        func add(_ time: Int?, _ action: ScenarioAction) {
            guard let time, time < plan.durationMs else { return }
            steps.append(PlannedStep(atMs: time, who: person.identity, action: action, position: person.position))
        }
        add(person.joinMs, .join)
        for span in person.media.spans ?? [] {
            add(span.lowerBound, .speak)
            add(span.upperBound, .hush)
        }
        add(person.leaveMs, .leave)
    }

    private mutating func add(_ reader: MappingReader) {
        guard let at = reader.duration("at"), let name = reader.choice("do"),
            let action = StepReader(reader, plan, cast).action(name)
        else { return }
        let times = reader.integer("repeat") ?? 1
        let every = reader.duration("every")
        if times > 1, every ?? 0 == 0 {
            return reader.complain("repeat", "repeat needs every: how long between two times")
        }
        let who = people(reader, name)
        guard !who.isEmpty, steps.count + times * who.count * 2 <= ScenarioLimits.steps * 2 else {
            if !who.isEmpty { reader.complain("do", "these are more than \(ScenarioLimits.steps) steps in all") }
            return
        }
        let spread = reader.duration("spread") ?? 0
        let undone = reader.duration("for")
        for time in 0..<times {
            for (index, person) in who.enumerated() {
                let delay = who.count > 1 ? spread * index / (who.count - 1) : 0
                place(action, of: person, at: at + time * (every ?? 0) + delay, undone: undone, reader)
            }
        }
    }

    private mutating func place(
        _ action: ScenarioAction, of who: String?, at time: Int, undone: Int?, _ reader: MappingReader
    ) {
        guard time < plan.durationMs else {
            return reader.complain("at", "\(time) ms is when the scenario is over (\(plan.durationMs) ms)")
        }
        let position = reader.position
        steps.append(PlannedStep(atMs: time, who: who, action: action, position: position))
        guard let undone else { return }
        guard let opposite = action.undone(before: who.flatMap { plan[$0]?.network }) else {
            return reader.complain("for", "this can't be undone; use for with mute, speak, hide, drop and roam")
        }
        if time + undone < plan.durationMs {
            steps.append(PlannedStep(atMs: time + undone, who: who, action: opposite, position: position))
        }
    }

    /// Those who do it; one nil for what concerns all.
    private func people(_ reader: MappingReader, _ name: String) -> [String?] {
        if ["end-room", "stop-provider"].contains(name) {
            if reader.has("who") { reader.complain("who", "\(name) concerns everybody; leave who out") }
            return [nil]
        }
        guard let names = reader.names("who") else {
            problems.add(reader.position, "who is to \(name)? give who: names, groups or all")
            return []
        }
        return cast.resolve(names, problems).map(\.identity)
    }
}

/// Reads what a step does.
private struct StepReader {
    private let reader: MappingReader
    private let plan: ScenarioPlan
    private let cast: Cast

    init(_ reader: MappingReader, _ plan: ScenarioPlan, _ cast: Cast) {
        self.reader = reader
        self.plan = plan
        self.cast = cast
    }

    func action(_ name: String) -> ScenarioAction? {
        check(name)
        switch name {
        case "join": return .join
        case "leave": return .leave
        case "mute": return .mute(media)
        case "unmute": return .unmute(media)
        case "speak": return .speak
        case "hush": return .hush
        case "show": return .show
        case "hide": return .hide
        case "roam": return roam
        case "drop": return .drop
        case "restore": return .restore
        case "ring": return others.isEmpty ? nil : .ring(others)
        case "answer": return .answer
        case "decline": return .decline
        case "transfer": return others.first.map { .transfer($0) }
        case "remove": return .remove
        case "end-room": return .endRoom
        case "stop-provider": return provider.map { .stopProvider($0) }
        default: return nil
        }
    }

    /// Keys that mean nothing for what is done.
    private func check(_ name: String) {
        let uses: [(key: String, names: [String])] = [
            ("what", ["mute", "unmute"]), ("network", ["roam"]), ("address", ["roam"]),
            ("to", ["ring", "transfer"]), ("provider", ["stop-provider"]),
        ]
        for use in uses where reader.has(use.key) && !use.names.contains(name) {
            reader.complain(
                use.key, "\(use.key) means nothing for \(name); it is for \(use.names.joined(separator: ", "))")
        }
    }

    private var media: [ScenarioMedia] {
        switch reader.choice("what") {
        case "video": [.video]
        case "both": [.audio, .video]
        default: [.audio]
        }
    }

    private var roam: ScenarioAction? {
        let moves = reader.choice("address") == "new"
        if let network { return .roam(network, toNewAddress: moves) }
        if reader.has("network") { return nil }
        if moves { return .roam(nil, toNewAddress: true) }
        reader.problems.add(
            reader.position, "roam needs network: the name of one of networks, or address: new")
        return nil
    }

    private var network: String? {
        guard let name = reader.text("network") else { return nil }
        guard plan.networks[name] != nil else {
            let remedy = Nearest.remedy(for: name, among: Array(plan.networks.keys))
            reader.complain("network", "there is no network \"\(name.shortened)\"; \(remedy)")
            return nil
        }
        return name
    }

    private var others: [String] {
        guard let names = reader.names("to") else {
            reader.problems.add(
                reader.position, "to is missing: names of those who are rung, or of the one who takes over")
            return []
        }
        return cast.resolve(names, reader.problems).map(\.identity)
    }

    private var provider: ScenarioProvider? {
        let provider = reader.choice("provider").flatMap(ScenarioProvider.init)
        if provider == nil, !reader.has("provider") {
            reader.problems.add(reader.position, "stop-provider needs provider: which one")
        }
        return provider
    }
}
