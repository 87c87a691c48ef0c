import RTCWire
import SFUCore

/// What the client at the other end of a connection has lately said of what it is sent.
struct SubscriberFeedback {
    /// Reports about one stream since the last `takeReports`.
    struct Reports {
        var count = 0
        /// The largest, in seconds.
        var jitter = 0.0
        /// The largest.
        var roundTrip = Interval.zero
    }

    private var reports: [UInt32: Reports] = [:]
    var loss = ReportedLoss()
    var missing = MissingShare()

    mutating func note(ssrc: UInt32, jitter: Double, roundTrip: Interval?) {
        var entry = reports[ssrc] ?? Reports()
        entry.count += 1
        entry.jitter = max(entry.jitter, jitter)
        entry.roundTrip = max(entry.roundTrip, roundTrip ?? .zero)
        reports[ssrc] = entry
    }

    /// The reports about a stream since the last call.
    mutating func takeReports(_ ssrc: UInt32) -> Reports { reports.removeValue(forKey: ssrc) ?? Reports() }
}
