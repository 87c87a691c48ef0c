import LiveKitProtocol
import RTCWire

/// What is said of participants: at once of those who publish, for the others collected for a while; and no participant
/// changes so often that all others have to hear of it at once. A value.
struct ParticipantUpdates {
    private var infos: [Livekit_ParticipantInfo] = []
    /// How often others are told of each participant at once; what comes faster is collected.
    private var budgets: [String: TokenBucket] = [:]
    /// When what has been collected is said.
    private(set) var deadline: Instant?

    mutating func admit(_ participant: String) { budgets[participant] = TokenBucket(rate: 5, burst: 20) }

    /// Who has gone is not here any more, and is said at once.
    mutating func remove(_ participant: String) { budgets[participant] = nil }

    /// Whether to say it now; otherwise it has been collected, and an older word on the same participant is void.
    mutating func note(
        _ info: Livekit_ParticipantInfo, atOnce: Bool, within milliseconds: Int, now: Instant
    ) -> Bool {
        infos.removeAll { $0.sid == info.sid }
        if atOnce, budgets[info.sid]?.take(now: now) ?? true { return true }
        infos.append(info)
        if deadline == nil { deadline = now + .milliseconds(milliseconds) }
        return false
    }

    /// Takes out what is to be said now.
    mutating func due(_ now: Instant) -> [Livekit_ParticipantInfo] {
        guard let deadline, deadline <= now else { return [] }
        self.deadline = nil
        defer { infos = [] }
        return infos
    }
}
