/// How much may be in flight, RFC 9260 section 7.2: slow start, congestion avoidance, fast recovery.
struct CongestionWindow: Hashable {
    /// cwnd, in bytes.
    private(set) var window: Int
    /// ssthresh, in bytes.
    private(set) var threshold: Int
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    private var partial = 0
    /// Fast recovery ends when this TSN has been acknowledged.
    private(set) var recoveryExit: Int64?
    let mtu: Int

    /// - Parameters:
    ///   - mtu: largest packet, in bytes.
    ///   - peerWindow: what the other side can take at first.
    init(mtu: Int, peerWindow: Int) {
        self.mtu = mtu
        window = min(4 * mtu, max(2 * mtu, 4404))
        threshold = max(peerWindow, 4 * mtu)
    }

    var isInRecovery: Bool { recoveryExit != nil }

    /// New data has been acknowledged.
    ///
    /// - Parameters:
    ///   - bytes: of it.
    ///   - flight: bytes that were in flight before.
    ///   - cumulative: the cumulative TSN now; `hasAdvanced` where it is a new one.
    mutating func acknowledged(bytes: Int, flight: Int, cumulative: Int64, hasAdvanced: Bool) {
        if let exit = recoveryExit {
            if cumulative >= exit { recoveryExit = nil }
            return
        }
        guard hasAdvanced else { return }
        let isUsed = flight + mtu >= window
        if window <= threshold {
            // Section 7.2.1: by what was acknowledged, a packet at most.
            if isUsed { window += min(bytes, mtu) }
        } else {
            // Section 7.2.2: a packet for each window.
            partial += bytes
            guard partial >= window, isUsed else { return }
            partial -= window
            window += mtu
        }
    }

    /// Everything in flight has been acknowledged (section 7.2.2, last rule).
    mutating func drained() { partial = 0 }

    /// Packets are missing (section 7.2.4). Only the first loss of a flight counts.
    mutating func lost(highestTSN: Int64) {
        guard recoveryExit == nil else { return }
        halve()
        window = threshold
        recoveryExit = highestTSN
    }

    /// The retransmission timer ran out (section 7.2.3).
    mutating func timedOut() {
        halve()
        window = mtu
        recoveryExit = nil
    }

    private mutating func halve() {
        threshold = max(window / 2, 4 * mtu)
        partial = 0
    }
}
