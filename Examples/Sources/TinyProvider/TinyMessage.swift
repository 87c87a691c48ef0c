import CallBridge
import MediaCore

/// What the exchange and the members of a room tell one another. A provider with a server of its own would give this a
/// wire form; what is in it stays the same.
enum TinyMessage: Sendable {
    /// Somebody is in the room from now on.
    case joined(Participant)
    /// Somebody is gone.
    case left(id: String, ParticipantLeftReason)
    /// Somebody publishes a track.
    case published(Track, by: String)
    /// Somebody has taken a track back.
    case unpublished(trackID: String, by: String)
    /// Somebody has muted or unmuted a track.
    case muted(Bool, trackID: String, by: String)
    /// Somebody wants to receive a track of ours, or no longer.
    case wanted(Bool, trackID: String, by: String)
    /// Somebody offers what they send us.
    case offer(SessionDescription, from: String)
    /// Somebody answers our offer.
    case answer(SessionDescription, from: String)
    /// Where somebody can be reached, on the connection that they offered or on the one that we offered.
    case candidate(SessionCandidate, isOfferer: Bool, from: String)
    /// The call is over for us.
    case ended(CallEndReason, detail: String)
}
