/// Which sequence numbers of epoch 1 were seen, RFC 6347 section 4.1.2.6: the highest and the 63 below it.
struct RecordReplayWindow {
    static let reach: UInt64 = 64

    /// One more than the highest number seen; 0 before the first.
    private var end: UInt64 = 0
    /// Bit n stands for the n-th number below `end`.
    private var seen: UInt64 = 0

    /// Whether a number is new and not too old.
    func isFresh(_ sequence: UInt64) -> Bool {
        if sequence >= end { return true }
        let age = end - 1 - sequence
        return age < RecordReplayWindow.reach && seen & 1 << age == 0
    }

    /// Notes a number for which `isFresh` held, once its record has proved authentic.
    mutating func insert(_ sequence: UInt64) {
        guard sequence < end else {
            seen = seen << (sequence + 1 - end) | 1
            end = sequence + 1
            return
        }
        seen |= 1 << (end - 1 - sequence)
    }
}
