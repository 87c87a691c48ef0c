import RTCWire

/// What paces a connection: the queues and their budget, and the probes for more.
struct SendPacing: Sendable {
    var pacer: Pacer
    var probing = ProbeController()
    /// Probes are its own; else whoever paces a subscriber sees to them.
    let isProbing: Bool
    /// Packets that had to wait, and the longest time one did.
    private(set) var heldPackets = 0
    private(set) var longestWait = Interval.zero
    /// When pictures began anew because the other side was heard again.
    var begun: Instant?
    /// What has left a second time.
    private var repeated = WindowedRate()

    init(rate: Double, isProbing: Bool = true) {
        pacer = Pacer(rate: rate)
        self.isProbing = isProbing
    }

    mutating func noteHeld(_ wait: Interval) {
        heldPackets += 1
        longestWait = max(longestWait, wait)
    }

    mutating func noteRepeated(bytes: Int, now: Instant) {
        repeated.add(bytes + PacingBudget.datagramOverhead, now: now)
    }

    /// What has left a second time within the last second, in bit/s.
    mutating func repeatedBitrate(now: Instant) -> Double {
        repeated.advance(to: now)
        return repeated.bitrate
    }
}
