import RTCWire

/// What paces a connection: the queues and their budget, and the probes for more.
struct SendPacing: Sendable {
    var pacer: Pacer
    var probing = ProbeController()
    /// Packets that had to wait, and the longest time one did.
    private(set) var heldPackets = 0
    private(set) var longestWait = Interval.zero

    init(rate: Double) { pacer = Pacer(rate: rate) }

    mutating func noteHeld(_ wait: Interval) {
        heldPackets += 1
        longestWait = max(longestWait, wait)
    }
}
