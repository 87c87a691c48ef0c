import RTCWire

/// What one participant's data may cost, and what of it was dropped. A value.
struct DataAllowance {
    /// Messages that were dropped, because it sends too much or reads too slowly.
    private(set) var dropped = 0
    /// In datagrams to others.
    private var budget = TokenBucket(rate: 20_000, burst: 40_000)

    mutating func take(bytes: Int, recipients: Int, now: Instant) -> Bool {
        budget.take(Double(recipients * (1 + bytes / 1_200)), now: now)
    }

    /// Whether to say so: of the first message, and then of each hundredth.
    mutating func countDropped() -> Bool {
        dropped += 1
        return dropped % 100 == 1
    }
}
