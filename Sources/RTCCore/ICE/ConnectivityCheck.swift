import RTCWire

/// A check under way: one STUN transaction (RFC 8445 section 7.2) and its retransmission timer.
struct ConnectivityCheck {
    let transactionID: STUNTransactionID
    /// The role that the request claims; a 487 answer refers to this one.
    let role: ICERole
    let useCandidate: Bool
    let firstSent: Instant
    private(set) var lastSent: Instant
    private(set) var attempts = 1
    private(set) var retransmitAt: Instant
    private var timeout: Interval

    init(_ transactionID: STUNTransactionID, role: ICERole, useCandidate: Bool, timeout: Interval, now: Instant) {
        self.transactionID = transactionID
        self.role = role
        self.useCandidate = useCandidate
        self.timeout = timeout
        firstSent = now
        lastSent = now
        retransmitAt = now + timeout
    }

    /// Notes a retransmission; the next one waits twice as long, up to `maximum`.
    mutating func retransmitted(now: Instant, maximum: Interval) {
        attempts += 1
        lastSent = now
        timeout = min(timeout * 2, max(maximum, timeout))
        retransmitAt = now + timeout
    }

    /// The other side has just shown that the path is open: the next transmission is due, `least` after the last.
    mutating func hasten(least: Interval) {
        retransmitAt = min(retransmitAt, lastSent + least)
    }
}
