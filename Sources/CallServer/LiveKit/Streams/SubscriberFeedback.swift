import RTCWire

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

    /// The estimate that has come since the last `takeEstimate`, in bit/s.
    private var estimate: Int?
    private var reports: [UInt32: Reports] = [:]
    private var worstLoss = 0.0

    mutating func note(estimate: Int) { self.estimate = estimate }

    mutating func note(ssrc: UInt32, loss: Double, jitter: Double, roundTrip: Interval?) {
        var entry = reports[ssrc] ?? Reports()
        entry.count += 1
        entry.jitter = max(entry.jitter, jitter)
        entry.roundTrip = max(entry.roundTrip, roundTrip ?? .zero)
        reports[ssrc] = entry
        worstLoss = max(worstLoss, loss)
    }

    mutating func takeEstimate() -> Int? {
        defer { estimate = nil }
        return estimate
    }

    /// The largest share of any stream's packets lost, of the reports since the last call, 0...1.
    mutating func takeLoss() -> Double {
        defer { worstLoss = 0 }
        return worstLoss
    }

    /// The reports about a stream since the last call.
    mutating func takeReports(_ ssrc: UInt32) -> Reports { reports.removeValue(forKey: ssrc) ?? Reports() }
}
