import RTCWire

/// Tells who the active speaker of a call is, from audio levels as RFC 6464 carries them.
///
/// Somebody becomes active after a short onset of voice over his own noise floor, long enough that a cough doesn't
/// suffice; stays active through pauses; gives way when he falls silent and another one speaks, or when another one
/// keeps speaking over him. Nobody is active for less than a second. While nobody speaks the last speaker stays.
///
/// A pure value in virtual time: the same input gives the same output.
package struct ActiveSpeakerTracker<Participant: Hashable & Sendable>: Sendable {
    package let configuration: ActiveSpeakerConfiguration
    /// The active speaker; nil until somebody has spoken.
    package private(set) var active: ActiveSpeaker<Participant>?
    /// How often the active speaker changed, the first one included.
    package private(set) var switches = 0

    private var participants: [Participant] = []
    /// Of the participant with the same index.
    private var voices: [VoiceActivity] = []
    private var slot: Int64 = .min

    package init(_ configuration: ActiveSpeakerConfiguration = .init()) {
        self.configuration = configuration
    }

    /// Takes in one level, usually one per packet of 20 ms. A participant becomes known by its first level.
    ///
    /// - Parameters:
    ///   - level: -dBov, 0 (loudest) ... 127 (silence).
    ///   - voice: the header extension's voice flag where its sender sets it; nil where it is not to be relied on.
    package mutating func observe(_ participant: Participant, level: UInt8, voice: Bool? = nil, at time: Instant) {
        advance(to: time)
        let now = time.nanoseconds / VoiceActivity.slot
        if let index = participants.firstIndex(of: participant) {
            voices[index].update(level, voice: voice, slot: now)
        } else {
            var added = VoiceActivity()
            added.update(level, voice: voice, slot: now)
            participants.append(participant)
            voices.append(added)
        }
    }

    /// Lets time pass; decides once per 20 ms.
    ///
    /// - Returns: the active speaker, changed or not.
    @discardableResult
    package mutating func advance(to time: Instant) -> Participant? {
        let now = time.nanoseconds / VoiceActivity.slot
        guard now > slot else { return active?.participant }
        // After a long silence of the caller's, the last second is enough.
        slot = max(slot, now &- 50)
        while slot < now {
            slot += 1
            listen()
            decide(Instant(nanoseconds: slot &* VoiceActivity.slot))
        }
        return active?.participant
    }

    /// Forgets a participant. Where it was the active speaker, nobody is until somebody speaks.
    package mutating func remove(_ participant: Participant) {
        guard let index = participants.firstIndex(of: participant) else { return }
        participants.remove(at: index)
        voices.remove(at: index)
        if active?.participant == participant { active = nil }
    }

    /// Whether a participant is speaking now, pauses within its turn included.
    package func isSpeaking(_ participant: Participant) -> Bool {
        participants.firstIndex(of: participant).map { speaks(voices[$0]) } ?? false
    }

    private func slots(_ interval: Interval) -> Int64 { interval.nanoseconds / VoiceActivity.slot }

    private func speaks(_ voice: VoiceActivity) -> Bool { voice.silence(at: slot) <= slots(configuration.hold) }

    /// Tells voices from what microphones pick up of somebody else.
    private mutating func listen() {
        for index in voices.indices { voices[index].listen(slot, configuration) }
        let loudest = voices.reduce(-127) { max($0, $1.present) }
        for index in voices.indices {
            voices[index].judge(slot, isCrosstalk: voices[index].isExplained(by: loudest), configuration)
        }
    }

    private mutating func decide(_ time: Instant) {
        let current = active.flatMap { participants.firstIndex(of: $0.participant) }
        let isSpeaking = current.map { speaks(voices[$0]) } ?? false
        active?.isSpeaking = isSpeaking
        if let active, time - active.since < configuration.minimumStay { return }
        let voice = current.map { voices[$0] }
        var best: Int?
        for index in voices.indices where index != current && mayTakeOver(voices[index], from: voice) {
            if best.map({ voices[index].strength > voices[$0].strength }) ?? true { best = index }
        }
        guard let best else { return }
        active = ActiveSpeaker(participant: participants[best], isSpeaking: true, since: time)
        switches += 1
    }

    private func mayTakeOver(_ voice: VoiceActivity, from current: VoiceActivity?) -> Bool {
        guard voice.evidence >= slots(configuration.onset), voice.silence(at: slot) <= 5 else { return false }
        guard let current else { return true }
        if current.silence(at: slot) > slots(configuration.handover) { return true }
        guard voice.evidence >= slots(configuration.takeover) else { return false }
        if voice.turnStart > current.turnStart { return voice.strength > current.strength - 2 * configuration.margin }
        return voice.strength > current.strength + configuration.margin
    }
}
