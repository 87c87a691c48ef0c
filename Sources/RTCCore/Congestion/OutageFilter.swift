import RTCWire

/// Leaves out what was lost while nothing at all came through: a path that was away for a second or more was not too narrow,
/// and what was sent into it says nothing of what it bears when it is back.
///
/// A full queue drops many packets, but not each one of a second.
struct OutageFilter: Sendable {
    /// Packets that were sent over so long, and all of them lost, were sent into an outage.
    static let shortest = Interval.seconds(1)
    /// Fewer may get lost one after the other on any path, where little is sent.
    private static let leastPackets = 10

    /// When the first packet of the present run of losses was sent; nil where the latest packet came.
    private var since: Instant?
    /// Packets of that run.
    private var lost = 0
    private var isOutage = false
    private var hasEnded = false

    /// Whether an outage has ended since this was asked last.
    mutating func takeEnd() -> Bool {
        defer { hasEnded = false }
        return hasEnded
    }

    /// What of a feedback counts; ascending, as are the results.
    mutating func strip(_ results: [PacketResult]) -> [PacketResult] {
        guard since != nil || results.contains(where: { $0.received == nil }) else { return results }
        var kept: [PacketResult] = []
        kept.reserveCapacity(results.count)
        // Where the run begins that may turn out to be an outage.
        var run = 0
        for result in results {
            if result.received != nil {
                if isOutage { hasEnded = true }
                (since, lost, isOutage) = (nil, 0, false)
            } else {
                let first = since ?? result.sent
                if since == nil { run = kept.count }
                since = first
                lost += 1
                if !isOutage, lost >= Self.leastPackets, result.sent - first >= Self.shortest {
                    isOutage = true
                    kept.removeSubrange(run...)
                }
                if isOutage { continue }
            }
            kept.append(result)
        }
        return kept
    }
}
