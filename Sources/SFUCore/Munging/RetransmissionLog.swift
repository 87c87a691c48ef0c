import RTCCore
import RTCWire

/// Which packets were repeated lately.
///
/// It has a place for each of the latest `reach` numbers, so that nothing it must remember is overwritten, and is made with
/// the first request: most subscribers never miss a packet.
struct RetransmissionLog {
    /// How far behind the newest packet one may be that is repeated; a power of two, as a producer's ring has.
    static let reach: UInt16 = 1024

    private struct Entry {
        var sequence: UInt16 = 0
        /// How often it has been repeated since, before the full spacing was over.
        var before: UInt8 = 0
        /// The lower bits of the time in milliseconds; 0 for never.
        var sent: UInt32 = 0
    }

    private var entries: [Entry] = []

    /// Whether `sequence`, at most `reach` numbers old, may be repeated now; takes it as repeated where so.
    mutating func take(_ sequence: UInt16, now: Instant, spacing: RepetitionSpacing) -> Bool {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Int(RetransmissionLog.reach)) }
        let index = Int(sequence & (RetransmissionLog.reach - 1))
        let (entry, stamp) = (entries[index], RetransmissionLog.stamp(now))
        let elapsed = Interval.milliseconds(Int(stamp &- entry.sent))
        guard entry.sent != 0, entry.sequence == sequence, elapsed < spacing.full else {
            entries[index] = Entry(sequence: sequence, sent: stamp)
            return true
        }
        guard let least = spacing.before, entry.before < RepetitionSpacing.mostBefore,
            elapsed >= least * (Int(entry.before) + 1)
        else { return false }
        entries[index].before += 1
        return true
    }

    /// Never 0. It comes round in 50 days: by then the number has been given to others.
    private static func stamp(_ now: Instant) -> UInt32 {
        max(UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000), 1)
    }
}
