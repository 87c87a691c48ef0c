import RTCWire

/// How much may be repeated to a subscriber whose way has shown where it ends. What a full queue drops is asked for again, and
/// dropped again, and its repetitions keep the queue full for as long as they may: they get what pictures leave of the way, and a
/// little always. Where more is sent than the limit though nothing smaller could be chosen, it may be a way that loses much of
/// itself: there it takes signs of a full queue. A value.
package struct RepetitionAllowance: Sendable {
    /// Of the limit, at least.
    private static let leastShare = 0.125
    /// In seconds of the limit: what may be repeated in one go.
    private static let depth = 0.15
    /// How long what was chosen before is still asked for.
    private static let aftermath = Interval.seconds(5)
    /// Of its cost, what is chosen after is less than that.
    private static let narrowing = 0.8

    /// In bytes a second; nil where all may be repeated.
    private var rate: Double?
    /// In bytes.
    private var credit = 0.0
    private var most = 0.0
    private var latest = Instant.zero
    /// Of what is chosen, in bit/s, and when it was much more last.
    private var cost = 0
    private var narrowed: Instant?

    package init() {}

    /// Takes in what the way bears and what is sent.
    ///
    /// - Parameters:
    ///   - limit: in bit/s; nil while nothing shows one.
    ///   - sent: pictures, in bit/s.
    ///   - cost: of what has been chosen to be sent, in bit/s.
    ///   - queue: what is known of it, `ChannelCapacity.queue(now:)`.
    package mutating func set(
        limit: Int?, sent: Int, cost: Int, queue: (stands: Bool, drops: Bool), now: Instant
    ) {
        advance(to: now)
        if Double(cost) < RepetitionAllowance.narrowing * Double(self.cost) { narrowed = now }
        self.cost = cost
        let isAftermath = narrowed.map { now - $0 < RepetitionAllowance.aftermath } ?? false
        guard let limit, cost <= limit || queue.stands && (isAftermath || queue.drops) else { return rate = nil }
        let bytes = Double(limit) / 8
        let isNew = rate == nil
        rate = max(bytes - Double(sent) / 8, RepetitionAllowance.leastShare * bytes)
        most = RepetitionAllowance.depth * bytes
        credit = isNew ? most : min(credit, most)
    }

    /// Whether so many bytes may be repeated now; takes them where so. One that is larger than what there is leaves a debt.
    mutating func take(_ bytes: Int, now: Instant) -> Bool {
        guard rate != nil else { return true }
        advance(to: now)
        guard credit > 0 else { return false }
        credit -= Double(bytes)
        return true
    }

    /// Half of what may be repeated in one go is there.
    mutating func isAmple(now: Instant) -> Bool {
        advance(to: now)
        return rate == nil || credit * 2 >= most
    }

    private mutating func advance(to now: Instant) {
        defer { latest = max(latest, now) }
        guard let rate, now > latest else { return }
        credit = min(most, credit + rate * (now - latest).seconds)
    }
}
