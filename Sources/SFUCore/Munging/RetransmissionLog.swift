import RTCWire

/// Which packets were repeated lately: each leaves at most once per round trip.
struct RetransmissionLog {
    private struct Entry {
        var sequence: UInt16 = 0
        var sent = Instant(nanoseconds: .min / 2)
    }

    private var entries = [Entry](repeating: Entry(), count: 256)

    /// Whether `sequence` may be repeated now; notes it where so.
    mutating func take(_ sequence: UInt16, now: Instant, spacing: Interval) -> Bool {
        let index = Int(sequence) & 255
        if entries[index].sequence == sequence, now - entries[index].sent < spacing { return false }
        entries[index] = Entry(sequence: sequence, sent: now)
        return true
    }
}
