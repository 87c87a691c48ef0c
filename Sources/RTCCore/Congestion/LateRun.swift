import RTCWire

/// Packets that follow each other and all come late, by more than a queue is high that stands (`StandingQueue.height`): what
/// comes meanwhile is what passes. A queue that has filled at once, or slowly, has no slope, and a filter for slopes knows
/// nothing before it has seen twenty groups of packets. After a pause all comes at once, so that such a run is short. A value.
struct LateRun: Sendable {
    /// A rate is known after that.
    private static let window = Interval.milliseconds(100)
    /// A queue that is as high for so long stands, and after twice as long each time: what is sent less takes its time to drain it.
    private static let firstPatience = Interval.milliseconds(300)

    /// What a run has come to.
    enum Finding: Equatable {
        /// Bytes that have come since `start`, while a queue has filled at once.
        case filled(bytes: Int, start: Instant)
        case stands
    }

    /// Since when all that came was late, or a queue was last found to stand.
    private var start: Instant
    private var patience = LateRun.firstPatience
    private var windowStart: Instant
    private var bytes = 0
    /// Of the present window, on two clocks.
    private(set) var leastDelay: Interval

    init(_ delay: Interval, _ arrival: Instant) {
        (start, windowStart, leastDelay) = (arrival, arrival, delay)
    }

    /// Takes in one more late packet.
    ///
    /// - Parameter rate: what has come in the second before, in bit/s; less than half of it is what another way bore.
    mutating func note(_ delay: Interval, _ size: Int, _ arrival: Instant, rate: Double?) -> Finding? {
        bytes += size
        leastDelay = min(leastDelay, delay)
        let length = arrival - windowStart
        guard length >= LateRun.window else { return nil }
        let (bytes, begin) = (bytes, windowStart)
        (windowStart, self.bytes, leastDelay) = (arrival, 0, delay)
        if let rate, Double(bytes * 8) / length.seconds < rate / 2 {
            start = arrival
            return .filled(bytes: bytes, start: begin)
        }
        guard arrival - start >= patience else { return nil }
        start = arrival
        patience = patience * 2
        return .stands
    }
}
