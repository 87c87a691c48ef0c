import RTCWire

/// Limits the rate by the share of packets that are lost (draft-ietf-rmcat-gcc-02 section 6): up to 2 % it grows, above
/// 10 % it falls.
struct LossControl {
    private static let window = Interval.milliseconds(200)
    private static let leastPackets = 20

    /// In bit/s; nothing is limited while it is infinite.
    private(set) var limit = Double.infinity
    /// Share of packets lost in the last full window, 0...1.
    private(set) var loss = 0.0
    private var lost = 0
    private var total = 0
    private var start: Instant?
    private var lastDecrease: Instant?

    /// - Parameters:
    ///   - lost: packets that are told as lost for the first time.
    ///   - found: packets that were told as lost before and have come: they were only overtaken.
    ///   - total: packets that are told of for the first time.
    mutating func update(
        lost: Int, found: Int = 0, total: Int, bitrate: Double, roundTrip: Interval, now: Instant
    ) {
        let begin = start ?? now
        start = begin
        self.lost = max(0, self.lost + lost - found)
        self.total += total
        guard now - begin >= LossControl.window, self.total >= LossControl.leastPackets else { return }
        loss = Double(self.lost) / Double(self.total)
        act(bitrate, roundTrip, (now - begin).seconds, now)
        self.lost = 0
        self.total = 0
        start = now
    }

    private mutating func act(_ bitrate: Double, _ roundTrip: Interval, _ elapsed: Double, _ now: Instant) {
        if loss > 0.1 {
            if let last = lastDecrease, now - last < .milliseconds(300) + roundTrip { return }
            lastDecrease = now
            limit = min(limit, bitrate) * (1 - 0.5 * loss)
        } else if loss < 0.02, limit.isFinite {
            limit *= 1 + 0.08 * min(elapsed, 1)
            // Far above what the delay allows it limits nothing.
            if limit > 3 * bitrate { limit = .infinity }
        }
    }
}
