import RTCWire

/// Who is the active speaker.
package struct ActiveSpeaker<Participant: Hashable & Sendable>: Hashable, Sendable {
    package let participant: Participant
    /// Whether that one is speaking now; false while nobody speaks and the last speaker stays.
    package internal(set) var isSpeaking: Bool
    /// Since when the participant has been the active speaker.
    package let since: Instant
}
