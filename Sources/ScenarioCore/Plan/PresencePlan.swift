/// Who is there when, sends what and can be reached, as the plan says: what must be heard and seen follows from it.
package struct PresencePlan: Sendable {
    /// One person's times.
    struct Times: Sendable {
        var present: [Range<Int>] = []
        var sound: [Range<Int>] = []
        var pictures: [Range<Int>] = []
        var reachable: [Range<Int>] = []
    }

    private struct Spans {
        var present: Intervals
        var sound: Intervals
        var pictures: Intervals
        var reachable: Intervals
    }

    private var times: [String: Spans] = [:]
    private let people: [String: PlannedPerson]
    private let timing: ScenarioTiming

    package init(_ plan: ScenarioPlan) {
        people = Dictionary(plan.people.map { ($0.identity, $0) }) { first, _ in first }
        timing = plan.timing
        var tracker = PresenceTracker(plan)
        for step in plan.steps where step.atMs <= plan.durationMs { tracker.take(step) }
        for (identity, times) in tracker.finish() {
            self.times[identity] = Spans(
                present: Intervals(times.present), sound: Intervals(times.sound),
                pictures: Intervals(times.pictures), reachable: Intervals(times.reachable))
        }
    }

    /// When somebody is in the call.
    package func presence(of identity: String) -> Intervals { times[identity]?.present ?? Intervals() }

    /// When media of one must come to another; what it takes to begin is left out.
    package func flow(_ media: ScenarioMedia, from sender: String, to receiver: String) -> Intervals {
        guard let there = times[sender], let here = times[receiver], obstacle(media, from: sender, to: receiver) == nil
        else { return Intervals() }
        let sent = media == .audio ? there.sound : there.pictures
        return sent.intersection(there.present).intersection(here.present)
            .intersection(there.reachable).intersection(here.reachable).delayed(by: timing.graceMs)
    }

    /// What keeps media of one from another, whatever the time; nil where nothing does.
    func obstacle(_ media: ScenarioMedia, from sender: String, to receiver: String) -> String? {
        guard let there = people[sender], let here = people[receiver] else { return "nobody has that name" }
        if media == .audio, there.media.sound == nil {
            return "\(sender) publishes no sound; give them tone or speech"
        }
        if media == .video, there.media.card == nil { return "\(sender) publishes no pictures; give them a card" }
        if !here.reception.receives { return "\(receiver) receives nothing; take receives: false away" }
        if let key = there.key, key != here.key {
            return "\(sender) encrypts and \(receiver) has another key; give both the same"
        }
        return nil
    }
}

/// Walks through the steps and keeps account.
private struct PresenceTracker {
    fileprivate struct State {
        var joined: Int?
        var soundFrom: Int?
        var picturesFrom: Int?
        var reachableFrom: Int? = 0
        var speaks = true
        var shows = true
        var muted: Set<ScenarioMedia> = []
        var provider: ScenarioProvider?
        var times = PresencePlan.Times()
    }

    private let plan: ScenarioPlan
    private var states: [String: State] = [:]
    private var down: Set<ScenarioProvider>
    /// Who rings whom.
    private var ringing: [String: [String]] = [:]

    init(_ plan: ScenarioPlan) {
        self.plan = plan
        down = plan.providers.down
        for person in plan.people {
            var state = State()
            state.speaks = person.media.spans == nil
            states[person.identity] = state
        }
    }

    mutating func take(_ step: PlannedStep) {
        let now = step.atMs
        switch step.action {
        case .endRoom: for identity in Array(states.keys) { leave(identity, now) }
        case .stopProvider(let provider):
            down.insert(provider)
            for identity in states.filter({ $0.value.provider == provider }).keys { leave(identity, now) }
        default: if let who = step.who { take(step.action, of: who, at: now) }
        }
    }

    private mutating func take(_ action: ScenarioAction, of who: String, at now: Int) {
        switch action {
        case .join: join(who, now)
        case .leave, .remove: leave(who, now)
        case .ring(let others): ringing[who] = others
        case .answer: answer(who, now)
        case .decline: for (caller, others) in ringing where others == [who] { ringing[caller] = nil }
        case .transfer(let other):
            join(other, now)
            leave(who, now)
        case .drop:
            states[who]?.close(\.reachableFrom, \.reachable, at: now)
        case .restore:
            // One who was not cut off loses nothing by it.
            if let state = states[who], state.reachableFrom == nil {
                states[who]?.reachableFrom = now + plan.timing.recoveryMs
            }
        case .roam(_, toNewAddress: true):
            // Who is cut off comes back with the network, whatever the address.
            guard let from = states[who]?.reachableFrom else { return }
            states[who]?.close(\.reachableFrom, \.reachable, at: now)
            states[who]?.reachableFrom = max(from, now + plan.timing.recoveryMs)
        default: change(who, now) { $0.apply(action) }
        }
    }

    private mutating func answer(_ who: String, _ now: Int) {
        for (caller, others) in ringing where others.contains(who) {
            join(caller, now)
            join(who, now)
            ringing[caller] = nil
        }
    }

    private mutating func join(_ identity: String, _ now: Int) {
        guard let person = plan[identity], states[identity]?.joined == nil else { return }
        let order = person.provider.map { [$0] } ?? plan.providers.order
        guard let provider = order.first(where: { !down.contains($0) }) else { return }
        states[identity]?.joined = now
        states[identity]?.provider = provider
        change(identity, now) { _ in }
    }

    private mutating func leave(_ identity: String, _ now: Int) {
        states[identity]?.close(\.joined, \.present, at: now)
        states[identity]?.provider = nil
        change(identity, now) { _ in }
    }

    /// Changes somebody's state, and ends or begins what follows from it.
    private mutating func change(_ identity: String, _ now: Int, _ body: (inout State) -> Void) {
        guard var state = states[identity], let person = plan[identity] else { return }
        body(&state)
        let isThere = state.joined != nil
        state.follow(
            isThere && person.media.sound != nil && state.speaks && !state.muted.contains(.audio), \.soundFrom, \.sound,
            at: now)
        state.follow(
            isThere && person.media.card != nil && state.shows && !state.muted.contains(.video), \.picturesFrom,
            \.pictures, at: now)
        states[identity] = state
    }

    mutating func finish() -> [String: PresencePlan.Times] {
        for identity in Array(states.keys) {
            states[identity]?.close(\.reachableFrom, \.reachable, at: plan.durationMs)
            leave(identity, plan.durationMs)
        }
        return states.mapValues(\.times)
    }
}

extension PresenceTracker.State {
    fileprivate typealias Times = PresencePlan.Times

    fileprivate mutating func apply(_ action: ScenarioAction) {
        switch action {
        case .mute(let media): muted.formUnion(media)
        case .unmute(let media): muted.subtract(media)
        case .speak: speaks = true
        case .hush: speaks = false
        case .show: shows = true
        case .hide: shows = false
        default: break
        }
    }

    fileprivate mutating func follow(
        _ isOn: Bool, _ start: WritableKeyPath<Self, Int?>, _ ranges: WritableKeyPath<Times, [Range<Int>]>, at now: Int
    ) {
        if isOn {
            self[keyPath: start] = self[keyPath: start] ?? now
        } else {
            close(start, ranges, at: now)
        }
    }

    fileprivate mutating func close(
        _ start: WritableKeyPath<Self, Int?>, _ ranges: WritableKeyPath<Times, [Range<Int>]>, at now: Int
    ) {
        if let from = self[keyPath: start], from < now { times[keyPath: ranges].append(from..<now) }
        self[keyPath: start] = nil
    }
}
