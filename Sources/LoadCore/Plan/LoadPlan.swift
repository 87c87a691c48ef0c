import RTCSim
import RTCWire

/// One participant of a run: who comes again after leaving is another one.
package struct PlannedParticipant: Sendable, Equatable {
    /// Its place in `LoadPlan.participants`.
    package var number: Int
    package var identity: String
    package var room: String
    package var publishesAudio = false
    package var publishesVideo = false
    package var subscribes = false
    /// Decodes what it gets, and reads the test card.
    package var decodes = false
    /// Its number among those of its kind in its room, as in its identity, and among those of all rooms.
    package var place = 0
    package var ordinal = 0
    /// This process does what it does; false where another shard does.
    package var isOurs = true

    package var publishes: Bool { publishesAudio || publishesVideo }

    package init(number: Int, identity: String, room: String) {
        self.number = number
        self.identity = identity
        self.room = room
    }
}

/// Something that is to happen.
package struct PlannedStep: Sendable, Equatable {
    /// What it is.
    package enum Action: Sendable, Equatable {
        case join
        case leave
        /// It speaks from now on, or is silent.
        case talk(Bool)
        case mute(Bool)
        /// It sends a message to the room.
        case message
        /// It calls a method of the participant with that number in `LoadPlan.participants`.
        case call(Int)
        /// Its connection is cut, and it comes back as fast as it can.
        case reconnect
        /// A cycle is over: everybody of it has left. Of no participant.
        case endOfCycle
    }

    /// Since the beginning of the run.
    package var time: Interval
    /// In `LoadPlan.participants`.
    package var participant: Int
    package var action: Action
}

/// Who joins which room when, talks when, mutes, and leaves: the same settings give the same plan. A value.
package struct LoadPlan: Sendable, Equatable {
    /// Those of all shards.
    package private(set) var participants: [PlannedParticipant] = []
    /// Those of this process.
    package private(set) var size = 0
    /// What participants of this process do, in the order of time.
    package private(set) var steps: [PlannedStep] = []
    /// When the last participant of the first cycle has begun to join.
    package private(set) var arrived = Interval.zero
    /// When it is over.
    package private(set) var end = Interval.zero

    /// Between two cycles, for what is left over to go.
    static let rest = 5.0

    package init(_ settings: LoadSettings) {
        var random = SeededGenerator(seed: settings.seed)
        var start = 0.0
        for cycle in 0..<max(1, settings.cycles) {
            start = add(cycle, settings, from: start, &random)
        }
        end = .seconds(start)
        let ordered = steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        steps = ordered.map(\.element).filter { $0.action == .endOfCycle || participants[$0.participant].isOurs }
        size = participants.count(where: \.isOurs)
    }

    /// Adds a cycle; gives when the next one begins.
    private mutating func add(
        _ cycle: Int, _ settings: LoadSettings, from start: Double, _ random: inout SeededGenerator
    ) -> Double {
        let first = participants.count
        addParticipants(cycle, settings)
        let present = participants.indices.dropFirst(first)
        let pace = settings.arrival.perSecond
        for (place, number) in present.enumerated() {
            add(.join, number, at: start + (pace.map { Double(place) / max(0.001, $0) } ?? 0))
        }
        let full = start + (pace.map { Double(max(0, present.count - 1)) / max(0.001, $0) } ?? 0)
        let end = full + settings.duration
        if cycle == 0 { arrived = .seconds(full) }
        let publishers = present.filter { participants[$0].publishes }
        addActivity(of: publishers, settings, from: start, full: full, until: end, &random)
        addCalls(of: Array(present), settings, from: full, until: end, &random)
        var staying = Array(present)
        if case .churn(_, let rate) = settings.arrival {
            addChurn(of: &staying, cycle, rate, settings, from: full, until: end)
        }
        if let storm = settings.reconnectStorm, storm < settings.duration {
            for number in present { add(.reconnect, number, at: full + storm) }
        }
        guard settings.cycles > 1 else { return end }
        for number in staying { add(.leave, number, at: end) }
        add(.endOfCycle, first, at: end + Self.rest * 0.9)
        return end + Self.rest
    }

    mutating func add(_ action: PlannedStep.Action, _ participant: Int, at time: Double) {
        steps.append(PlannedStep(time: .seconds(time), participant: participant, action: action))
    }

    // MARK: Participants

    /// Publishers come first, so that subscribers find what they are there for; room by room in turn.
    private mutating func addParticipants(_ cycle: Int, _ settings: LoadSettings) {
        for place in 0..<settings.participantsPerRoom {
            for room in 0..<settings.rooms { addParticipant(cycle, room, place, settings) }
        }
    }

    private mutating func addParticipant(_ cycle: Int, _ room: Int, _ place: Int, _ settings: LoadSettings) {
        let isPublisher = place < settings.publishers
        let prefix = settings.identityPrefix + (isPublisher ? "_pub" : "_sub")
        let again = cycle == 0 ? "" : "_c\(cycle)"
        var participant = PlannedParticipant(
            number: participants.count,
            identity: "\(prefix)_\(isPublisher ? place : place - settings.publishers)\(again)",
            room: Self.name(of: room, settings))
        participant.place = isPublisher ? place : place - settings.publishers
        participant.ordinal = participant.place * settings.rooms + room
        participant.isOurs = settings.shard?.holds(room: room, of: settings.rooms, place: participant.place) ?? true
        participant.publishesAudio = place < settings.audioPublishers
        participant.publishesVideo = place < settings.videoPublishers
        participant.subscribes = !isPublisher || settings.publishersSubscribe
        participant.decodes = !isPublisher && participant.ordinal < settings.decoders
        participants.append(participant)
    }

    static func name(of room: Int, _ settings: LoadSettings) -> String {
        if room < settings.roomNames.count { return settings.roomNames[room] }
        return settings.rooms == 1 ? settings.room : "\(settings.room)-\(room)"
    }

    // MARK: Coming and going

    /// - Parameter present: who is there; at the end, who is there then.
    private mutating func addChurn(
        of present: inout [Int], _ cycle: Int, _ joinsPerMinute: Double, _ settings: LoadSettings,
        from start: Double, until end: Double
    ) {
        var queue = present.filter { !participants[$0].publishes }
        present.removeAll { !participants[$0].publishes }
        // Who was there longest stands at the head.
        var head = 0
        defer { present += queue[head...] }
        guard joinsPerMinute > 0, !queue.isEmpty else { return }
        while true {
            let time = start + Double(head + 1) * 60 / joinsPerMinute
            guard time < end else { return }
            let leaving = queue[head]
            var fresh = participants[leaving]
            fresh.number = participants.count
            fresh.identity = "\(settings.identityPrefix)_sub_\(cycle == 0 ? "" : "c\(cycle)_")n\(head)"
            participants.append(fresh)
            add(.leave, leaving, at: time)
            add(.join, fresh.number, at: time)
            queue.append(fresh.number)
            head += 1
        }
    }
}

/// Goes through a plan as time goes by.
package struct PlanCursor: Sendable {
    private let steps: [PlannedStep]
    private var next = 0

    package init(_ plan: LoadPlan) { steps = plan.steps }

    /// When the next step is due, since the beginning; nil after the last one.
    package var deadline: Interval? { next < steps.count ? steps[next].time : nil }

    /// The next step that is due; nil where none is.
    package mutating func take(at time: Interval) -> PlannedStep? {
        guard next < steps.count, steps[next].time <= time else { return nil }
        defer { next += 1 }
        return steps[next]
    }

    /// Gives up what has not happened.
    package mutating func end() { next = steps.count }
}
