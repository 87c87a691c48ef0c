import RTCWire

/// Which packets were repeated lately: each leaves at most once per round trip.
///
/// It has a place for each of the latest `reach` numbers, so that nothing it must remember is overwritten, and is made with
/// the first request: most subscribers never miss a packet.
struct RetransmissionLog {
    /// How far behind the newest packet one may be that is repeated; a power of two, as a producer's ring has.
    static let reach: UInt16 = 1024

    private struct Entry {
        var sequence: UInt16 = 0
        /// The lower bits of the time in milliseconds; 0 for never.
        var sent: UInt32 = 0
    }

    private var entries: [Entry] = []

    /// Whether `sequence`, at most `reach` numbers old, was repeated less than `spacing` ago.
    func isRecent(_ sequence: UInt16, now: Instant, spacing: Interval) -> Bool {
        guard !entries.isEmpty else { return false }
        let entry = entries[Int(sequence & (RetransmissionLog.reach - 1))]
        guard entry.sent != 0, entry.sequence == sequence else { return false }
        return Int64(RetransmissionLog.stamp(now) &- entry.sent) * 1_000_000 < spacing.nanoseconds
    }

    mutating func note(_ sequence: UInt16, now: Instant) {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Int(RetransmissionLog.reach)) }
        entries[Int(sequence & (RetransmissionLog.reach - 1))] = Entry(
            sequence: sequence, sent: RetransmissionLog.stamp(now))
    }

    /// Never 0. It comes round in 50 days: by then the number has been given to others.
    private static func stamp(_ now: Instant) -> UInt32 {
        max(UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000), 1)
    }
}
