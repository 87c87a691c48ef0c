import MediaCore
import RTCWire

/// Feeds levels heard in the call's media to the active-speaker tracker.
struct SpeakerFollower {
    private var tracker = ActiveSpeakerTracker<String>()
    private var last: String?

    /// - Returns: the id of the participant who speaks now, where that changed.
    mutating func observe(_ levels: [ParticipantLevel]) -> String? {
        for level in levels {
            tracker.observe(
                level.participantID, level: UInt8(clamping: min(127, max(0, level.level))),
                at: Instant(nanoseconds: level.atNanoseconds))
        }
        guard let speaker = tracker.active?.participant, speaker != last else { return nil }
        last = speaker
        return speaker
    }

    mutating func remove(_ participant: String) {
        tracker.remove(participant)
        if last == participant { last = nil }
    }
}
