import RTCWire

/// When each packet of a connection leaves: audio at once, then what is sent again, then pictures, then padding, in bursts
/// of at most an ordinary picture and at 2.5 times the rate that the path bears, 1.2 times once it has shown where it ends.
/// A value in virtual time.
///
/// What may leave now isn't touched: it is written and sealed as if there were no pacer. Only what has to wait is copied, not
/// sealed, for it carries the moment at which it leaves.
package struct Pacer: Sendable {
    /// What has waited for longer makes the rest leave faster, so that nothing waits for much longer.
    package static let longestWait = Interval.milliseconds(500)
    private static let mediaLimit = 512 * 1024
    private static let repetitionLimit = 64 * 1024

    /// The same for this connection.
    private var longestWait = Pacer.longestWait
    private(set) var budget: PacingBudget
    private var repetitions = PacedQueue(limit: Pacer.repetitionLimit)
    private var media = PacedQueue(limit: Pacer.mediaLimit)
    var probes = ProbeSender()
    private var target: Double
    private var isLimited = false
    /// Something has waited since memory was looked at.
    private var hasHeld = false

    /// - Parameter rate: what the path is thought to bear, bit/s.
    init(rate: Double) {
        target = rate
        budget = PacingBudget(rate: rate)
    }

    /// What the path bears, in bit/s.
    ///
    /// - Parameter isLimited: it has shown where it ends.
    mutating func setRate(
        _ rate: Double, isLimited: Bool, longestWait: Interval = Pacer.longestWait, now: Instant
    ) {
        target = rate
        self.isLimited = isLimited
        self.longestWait = longestWait
        adapt(now)
    }

    var isEmpty: Bool { media.isEmpty && repetitions.isEmpty }
    var waitingBytes: Int { media.bytes + repetitions.bytes }
    var waitingPackets: Int { media.count + repetitions.count }

    /// Bytes of the heap that queues have, besides what is known of each packet.
    var memory: Int { media.capacity + repetitions.capacity }

    /// How long a packet that comes now would wait.
    var expectedWait: Interval {
        isEmpty ? .zero : .seconds(Double(waitingBytes) / max(budget.bytesPerSecond, 1))
    }

    /// Whether a packet has to wait. Counts nothing.
    mutating func holds(_ urgency: DatagramOutbox.Urgency, now: Instant) -> Bool {
        switch urgency {
        case .control: return false
        case .repetition: if !repetitions.isEmpty { return true }
        case .media: if !media.isEmpty || !repetitions.isEmpty { return true }
        }
        budget.advance(to: now)
        return !budget.isOpen
    }

    /// How long what waits would take at the rate of the path.
    var backlog: Interval { .seconds(Double(waitingBytes) * 8 / max(target, 1)) }

    /// Gives the memory of queues back where nothing has waited since the last time.
    mutating func trim() {
        defer { hasHeld = false }
        guard isEmpty, !hasHeld else { return }
        repetitions = PacedQueue(limit: Pacer.repetitionLimit)
        media = PacedQueue(limit: Pacer.mediaLimit)
    }

    /// Drops what waits.
    mutating func removeWaiting(now: Instant) {
        repetitions.removeAll()
        media.removeAll()
        adapt(now)
    }

    /// Has a packet wait. False where so many wait already that it has to leave at once.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ packet: PacedPacket, now: Instant) -> Bool {
        hasHeld = true
        let added = packet.isRepetition ? repetitions.append(bytes, packet) : media.append(bytes, packet)
        adapt(now)
        return added
    }

    /// Counts a packet that leaves, with the headers below it.
    mutating func note(bytes: Int, now: Instant) {
        budget.advance(to: now)
        let all = bytes + PacingBudget.datagramOverhead
        budget.note(bytes: all)
        probes.note(bytes: all)
        // What leaves ahead, as sound does, keeps back what waits.
        if !isEmpty { adapt(now) }
    }

    /// When a packet that waits may leave, or padding is due.
    ///
    /// - Parameter canProbe: there is a stream that takes padding.
    func deadline(canProbe: Bool, now: Instant) -> Instant {
        let probe = probes.deadline(canSend: canProbe)
        return isEmpty ? probe : min(probe, budget.opening(after: now))
    }

    /// The next packet that may leave, its bytes copied into `target`; nil where none may.
    ///
    /// - Parameter isForced: whether the budget allows it or not.
    mutating func takeNext(
        into target: UnsafeMutableRawBufferPointer, isForced: Bool = false, now: Instant
    ) -> PacedPacket? {
        guard !isEmpty else { return nil }
        budget.advance(to: now)
        guard isForced || budget.isOpen else { return nil }
        let packet = repetitions.takeFirst(into: target) ?? media.takeFirst(into: target)
        if isEmpty { adapt(now) }
        return packet
    }

    mutating func removeAll() {
        repetitions.removeAll()
        media.removeAll()
        probes.removeAll()
    }

    /// Faster where what waits would wait too long.
    private mutating func adapt(_ now: Instant) {
        let bytes = waitingBytes + waitingPackets * PacingBudget.datagramOverhead
        let backlog = (media.first ?? repetitions.first).map { (bytes, longestWait - (now - $0.queued)) }
        budget.setRate(target, isLimited: isLimited, backlog: backlog, now: now)
    }
}
