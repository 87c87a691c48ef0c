import RTCWire

/// How long an allocation is known to last, and whether its server still says anything. A value.
struct TURNLease {
    /// When it is to be renewed.
    var refreshAt = Instant.distantFuture
    /// As the server granted it.
    var lifetime = Interval.seconds(600)
    /// When the first datagram left that the server has sent nothing after.
    private(set) var unansweredSince: Instant?
    /// How many have left since: an answer to somebody's check needs none itself.
    private(set) var unanswered = 0

    /// A datagram leaves for a peer.
    mutating func sent(now: Instant) {
        unansweredSince = unansweredSince ?? now
        unanswered += 1
    }

    /// Something has come from the server.
    mutating func heard() {
        unansweredSince = nil
        unanswered = 0
    }

    /// The lifetime in seconds, as a request has it.
    var seconds: UInt32 { UInt32(clamping: lifetime.nanoseconds / 1_000_000_000) }
}
