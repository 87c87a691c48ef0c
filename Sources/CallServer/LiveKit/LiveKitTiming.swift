/// LiveKit's intervals, in milliseconds.
struct LiveKitTiming: Sendable {
    /// A participant's media must be connected within this time.
    var join = 60_000
    /// Somebody who has lost the media path is removed after this time.
    var departure = 5_000
    /// A fresh token is sent this often.
    var tokenRefresh = 300_000
    /// News about participants who publish nothing are collected for this time.
    var participantUpdates = 3_000
}
