import RTCWire

/// How much may be repeated to a subscriber whose way has shown where it ends. What a full queue drops is asked for again, and
/// dropped again, and its repetitions keep the queue full for as long as they may: beside the pictures that are sent they get
/// what these leave of the way, and a little always. A value.
package struct RepetitionAllowance: Sendable {
    /// Of the limit, at least.
    private static let leastShare = 0.125
    /// In seconds of the limit: what may be repeated in one go.
    private static let depth = 0.15

    /// In bytes a second; nil while nothing shows a limit.
    private var rate: Double?
    /// In bytes.
    private var credit = 0.0
    private var most = 0.0
    private var latest = Instant.zero

    package init() {}

    /// Takes in what the way bears.
    ///
    /// - Parameters:
    ///   - limit: in bit/s; nil while nothing shows one, and all may be repeated.
    ///   - sent: pictures, in bit/s.
    package mutating func set(limit: Int?, sent: Int, now: Instant) {
        advance(to: now)
        guard let limit else { return rate = nil }
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

    private mutating func advance(to now: Instant) {
        defer { latest = max(latest, now) }
        guard let rate, now > latest else { return }
        credit = min(most, credit + rate * (now - latest).seconds)
    }
}
