import RTCSim
import RTCWire

/// What participants do while they are there: talk, mute, send messages, call methods.
extension LoadPlan {
    mutating func addActivity(
        of publishers: [Int], _ settings: LoadSettings, from start: Double, full: Double, until end: Double,
        _ random: inout SeededGenerator
    ) {
        let talkers = publishers.filter { participants[$0].publishesAudio }
        for room in Dictionary(grouping: talkers, by: { participants[$0].room }).sorted(by: { $0.key < $1.key }) {
            if settings.simulatesSpeakers { addTurns(of: room.value, from: full, until: end, &random) }
            if let interval = settings.muteInterval {
                for number in room.value { addMutes(number, interval, from: full, until: end, &random) }
            }
        }
        guard settings.messagesPerSecond > 0 else { return }
        for number in publishers {
            addEvenly(number, perSecond: settings.messagesPerSecond, from: full, until: end, &random) { _ in .message }
        }
    }

    /// Who doesn't publish calls the publishers of its room, one after the other; where all publish, the others.
    mutating func addCalls(
        of present: [Int], _ settings: LoadSettings, from full: Double, until end: Double,
        _ random: inout SeededGenerator
    ) {
        guard settings.callsPerSecond > 0 else { return }
        for room in Dictionary(grouping: present, by: { participants[$0].room }).sorted(by: { $0.key < $1.key }) {
            let answering = room.value.filter { participants[$0].publishes }
            let callers = room.value.filter { !participants[$0].publishes }
            for caller in callers.isEmpty ? answering : callers {
                let others = answering.filter { $0 != caller }
                guard !others.isEmpty else { continue }
                addEvenly(caller, perSecond: settings.callsPerSecond, from: full, until: end, &random) {
                    .call(others[(caller + $0) % others.count])
                }
            }
        }
    }

    /// At an even pace, from a random moment of the first interval until a second before the end.
    private mutating func addEvenly(
        _ number: Int, perSecond: Double, from start: Double, until end: Double, _ random: inout SeededGenerator,
        _ action: (Int) -> PlannedStep.Action
    ) {
        var (time, count) = (start + random.uniform() / perSecond, 0)
        while time < end - 1 {
            add(action(count), number, at: time)
            time += 1 / perSecond
            count += 1
        }
    }

    private mutating func addTurns(
        of talkers: [Int], from start: Double, until end: Double, _ random: inout SeededGenerator
    ) {
        let conversation = Conversation(talkers: talkers.count, duration: end - start, using: &random)
        for spurt in conversation.spurts {
            add(.talk(true), talkers[spurt.talker], at: start + spurt.start)
            add(.talk(false), talkers[spurt.talker], at: start + spurt.end)
        }
    }

    private mutating func addMutes(
        _ number: Int, _ interval: Double, from start: Double, until end: Double, _ random: inout SeededGenerator
    ) {
        var time = start + random.uniform() * interval
        while time + interval / 3 < end - 1 {
            add(.mute(true), number, at: time)
            add(.mute(false), number, at: time + interval / 3)
            time += interval * (0.75 + random.uniform() / 2)
        }
    }
}
