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
    /// Mean over the latest handful of reports of all streams: one second of one stream has too few packets to tell a
    /// full path from bad luck.
    private var loss = 0.0
    private var hasNewLoss = false
    var missing = MissingShare()

    mutating func note(ssrc: UInt32, loss: Double, jitter: Double, roundTrip: Interval?) {
        var entry = reports[ssrc] ?? Reports()
        entry.count += 1
        entry.jitter = max(entry.jitter, jitter)
        entry.roundTrip = max(entry.roundTrip, roundTrip ?? .zero)
        reports[ssrc] = entry
        self.loss += (loss - self.loss) * SubscriberFeedback.lossSmoothing
        hasNewLoss = true
    }

    /// The share of packets lost over the latest reports, 0...1; 0 where none has come since the last call.
    mutating func takeLoss() -> Double {
        defer { hasNewLoss = false }
        return hasNewLoss ? loss : 0
    }

    private static let lossSmoothing = 0.2

    /// The reports about a stream since the last call.
    mutating func takeReports(_ ssrc: UInt32) -> Reports { reports.removeValue(forKey: ssrc) ?? Reports() }
}
