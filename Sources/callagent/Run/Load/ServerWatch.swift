import LoadResults

/// Tells that the server is gone: everybody was there, and nobody is any more, for some seconds. A value.
struct ServerWatch {
    /// Seconds without anybody.
    static let patience = 5.0
    /// Seconds in which a storm of our own is no sign of anything.
    private static let stormPatience = 20.0

    private var lastSeen: Double?
    private var expectedUntil = 0.0
    private(set) var reason: String?

    /// We cut connections ourselves.
    mutating func expectLoss(at second: Double) { expectedUntil = second + Self.stormPatience }

    /// What a second looked like.
    mutating func note(_ counts: ParticipantCounts, at second: Double) {
        if counts.joined > counts.reconnecting || counts.joined + counts.joining == 0 && counts.losses == 0 && !hasLost
        {
            lastSeen = counts.joined > 0 ? second : nil
            hasLost = false
            return
        }
        if counts.losses > 0 || counts.reconnecting > 0 { hasLost = true }
        guard hasLost, let lastSeen, second > expectedUntil, second - lastSeen >= Self.patience else { return }
        reason = "the server was lost: since second \(Int(lastSeen) + 1) nobody is connected"
    }

    /// Somebody's connection was lost, and nobody was seen since.
    private var hasLost = false
}
