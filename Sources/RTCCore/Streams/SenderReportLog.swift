import RTCWire

/// Our latest sender reports by the middle of their NTP time.
///
/// A round trip is taken from when we sent the report, not from the NTP time inside it, which is another machine's where
/// the report was forwarded.
struct SenderReportLog {
    private var entries = InlineArray<8, (middle: UInt32, sent: Instant)>(repeating: (0, .zero))
    private var next = 0
    private var count = 0

    mutating func record(ntp: UInt64, sent: Instant) {
        entries[next] = (ntp.middleNTP, sent)
        next = (next + 1) % entries.count
        count = min(count + 1, entries.count)
    }

    /// The round trip that a report block's LSR and DLSR tell (RFC 3550 section 6.4.1); nil where none of our reports is meant.
    func roundTripTime(lastReport: UInt32, delay: UInt32, arrival: Instant) -> Interval? {
        guard lastReport != 0 else { return nil }
        for step in 1...max(count, 1) where step <= count {
            let entry = entries[(next + entries.count - step) % entries.count]
            guard entry.middle == lastReport else { continue }
            let sinceReport: Interval = arrival - entry.sent
            return max(sinceReport - Interval(dlsr: delay), .zero)
        }
        return nil
    }
}
