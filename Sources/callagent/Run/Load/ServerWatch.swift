import LoadResults

/// Tells that the server is gone: somebody was there, and nobody is any more, for some seconds; or that it never was: so many were
/// refused, and nobody came in. A value.
struct ServerWatch {
    /// Seconds without anybody.
    static let patience = 5.0
    /// Seconds in which a storm of our own is no sign of anything.
    private static let stormPatience = 20.0
    /// So many refusals without one that came in are no fault of theirs.
    static let refusals = 5

    private var lastSeen: Double?
    private var expectedUntil = 0.0
    private(set) var reason: String?

    /// Somebody's connection was lost, and nobody was seen since.
    private var hasLost = false
    private var cameIn = false
    private var refused = 0
    private var firstRefusal: Double?
    private let planned: Int

    /// A watch over a run of so many participants.
    init(planned: Int = .max) { self.planned = planned }

    /// We cut connections ourselves.
    mutating func expectLoss(at second: Double) { expectedUntil = second + Self.stormPatience }

    /// What a second looked like.
    mutating func note(_ counts: ParticipantCounts, at second: Double) {
        noteEntrance(counts, at: second)
        if counts.joined > counts.reconnecting || counts.joined + counts.joining == 0 && counts.losses == 0 && !hasLost
        {
            lastSeen = counts.joined > 0 ? second : nil
            hasLost = false
            return
        }
        if counts.losses > 0 || counts.reconnecting > 0 {
            hasLost = true
            // Whoever was there came and was lost between two looks.
            lastSeen = lastSeen ?? max(0, second - 1)
        }
        guard hasLost, let lastSeen, second > expectedUntil, second - lastSeen >= Self.patience else { return }
        reason = "the server was lost: since second \(Int(lastSeen) + 1) nobody is connected"
    }

    private mutating func noteEntrance(_ counts: ParticipantCounts, at second: Double) {
        cameIn = cameIn || counts.joins > 0 || counts.joined > 0
        guard !cameIn else { return }
        refused += counts.failures
        if refused > 0 { firstRefusal = firstRefusal ?? second }
        guard let firstRefusal, counts.joining == 0, refused >= min(planned, Self.refusals),
            second - firstRefusal >= Self.patience
        else { return }
        reason = "nobody could join: \(refused) tried"
    }
}
