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
        var mark = RepetitionMark()
        var sequence: UInt16 = 0
    }

    private var entries: [Entry] = []

    /// Whether `sequence`, at most `reach` numbers old, may be repeated now.
    func allows(_ sequence: UInt16, now: Instant, spacing: RepetitionSpacing) -> Bool {
        guard !entries.isEmpty else { return true }
        let entry = entries[Int(sequence & (RetransmissionLog.reach - 1))]
        return entry.sequence != sequence || entry.mark.allows(spacing, now: now)
    }

    /// It is repeated now, for it may be.
    mutating func note(_ sequence: UInt16, now: Instant, spacing: RepetitionSpacing) {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Int(RetransmissionLog.reach)) }
        let index = Int(sequence & (RetransmissionLog.reach - 1))
        if entries[index].sequence != sequence { entries[index] = Entry(sequence: sequence) }
        entries[index].mark.note(spacing, now: now)
    }
}
