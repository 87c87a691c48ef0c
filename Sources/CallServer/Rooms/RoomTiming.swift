/// How long what clients do may take, and how often what is done by the clock: LiveKit's intervals, in milliseconds.
struct RoomTiming: Sendable {
    /// A participant's media must be connected within this time.
    var join = 30_000
    /// Somebody who has lost the media path, or closed it, is removed after this time, unless it comes back.
    var departure = 5_000
    /// Somebody who has lost both the signalling connection and, it seems, the media path is removed after this time.
    var silence = 15_000
    /// A client that comes back to signalling has so long to bring its lost media path back.
    var recovery = 30_000
    /// How long an offer of ours may stay unanswered.
    var negotiation = 15_000
    /// News about the room, such as the number of participants, are collected for this time.
    var roomUpdates = 5_000
    /// A fresh token is sent this often.
    var tokenRefresh = 300_000
    /// News about participants who publish nothing are collected for this time.
    var participantUpdates = 3_000
}
