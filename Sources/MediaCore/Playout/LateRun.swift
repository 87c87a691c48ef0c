import RTCWire

/// Packets one after another that need more than nearly all before: a queue stands on their way. A value.
///
/// While it stands, and for a moment afterwards, sound waits as long as they need. Once it is gone it says little of what comes:
/// such a run is one event, and would otherwise count as one with each of its packets, so that everybody waited for seconds.
struct LateRun {
    /// How many have been late; packets in time between them don't end the run at once.
    private var length = 0
    private var lastLate = Instant(nanoseconds: .min)
    /// What the latest of them needed.
    private var peak = Interval.zero
    /// The most that any of them needed.
    private var height = Interval.zero
    /// What nearly all had needed before the first of them.
    private(set) var limit = Interval.zero

    /// Fewer are stragglers.
    private static let least = 4
    /// Those of a run that count like any other packet: shorter ones are jitter.
    private static let counted = 8
    /// A queue that stands for longer is how the way is.
    private static let lasting = 200
    /// How long after its last late packet a run is over.
    private static let patience = Interval.milliseconds(400)

    /// Too long for jitter.
    var isQueue: Bool { length > Self.counted }

    /// What packets need at present; zero where no queue stands.
    func level(at now: Instant) -> Interval { length < Self.least || isOver(now) ? .zero : peak }

    /// Takes in what the next packet needs.
    ///
    /// - Parameter usual: what nearly all have needed.
    /// - Returns: whether it counts like any other packet.
    mutating func note(_ delay: Interval, usual: Interval, at now: Instant) -> Bool {
        if isOver(now) { (length, peak, height) = (0, .zero, .zero) }
        // The first ones may have made usual what all that follow need.
        if length == 0 { limit = usual }
        // What is left once a queue is gone is the way's own jitter.
        guard delay > max(limit, height / 4) else { return length < Self.counted || length > Self.lasting }
        length += 1
        lastLate = now
        // What it needed at its worst is needed no more once the queue gets shorter.
        peak = max(delay, peak - Interval.milliseconds(2))
        height = max(height, delay)
        return length <= Self.counted || length > Self.lasting
    }

    private func isOver(_ now: Instant) -> Bool { length == 0 || now - lastLate > Self.patience }
}
