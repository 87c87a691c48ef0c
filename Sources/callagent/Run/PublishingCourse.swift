import CallBridge
import MediaCore

/// What we were not allowed to send in the course of a call, from its events.
struct PublishingCourse {
    /// One sentence each, each once.
    private(set) var refusals: [String] = []

    /// Takes note of an event.
    mutating func note(_ event: CallEvent) {
        switch event {
        case .localPermissions(let may) where !may.canPublish:
            add("the server forbade us to publish; ask for a token or permission that allows it")
        case .localTrackMuted(let track) where track.isMuted: add("the server muted our \(track.kind.rawValue)")
        case .trackUnpublished(let track, let participant) where participant.isLocal:
            add("the server withdrew our \(track.kind.rawValue)")
        default: break
        }
    }

    private mutating func add(_ sentence: String) {
        if !refusals.contains(sentence) { refusals.append(sentence) }
    }
}
