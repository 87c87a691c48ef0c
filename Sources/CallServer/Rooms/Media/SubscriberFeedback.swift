import RTCCore
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
    /// By stream: what had been sent, and sent again, by the last time.
    private var repeated: [UInt32: (packets: Int, repetitions: Int)] = [:]
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

    /// The share of a stream's packets that were sent again since the last call, 0...1: clients report as lost what didn't come
    /// even so.
    mutating func takeRepeated(_ counted: StreamStatistics, of ssrc: UInt32) -> Double {
        if repeated.count >= Self.limit { repeated.removeAll() }
        let before = repeated.updateValue((counted.packets, counted.retransmitted), forKey: ssrc) ?? (0, 0)
        let packets = max(counted.packets - before.packets, 1)
        return min(max(Double(counted.retransmitted - before.repetitions) / Double(packets), 0), 1)
    }

    /// Streams that have ended aren't kept for ever.
    private static let limit = 1_024
}
