import RTCWire

/// A request to a TURN server that awaits its response.
struct TURNTransaction {
    enum Purpose: Hashable {
        case allocate
        /// Renews the allocation; 0 gives it up.
        case refresh(lifetime: UInt32)
        /// For every port of an address.
        case permit(TransportAddress)
        /// Binds a channel, by its place among the peers.
        case bind(Int)

        /// It asks for the allocation to go on.
        var isRenewal: Bool { if case .refresh(let lifetime) = self { lifetime > 0 } else { false } }
    }

    let id: STUNTransactionID
    let purpose: Purpose
    /// It was signed with the server's present nonce, or a former one.
    let isSigned: Bool
    private(set) var attempts = 1
    private(set) var nextAt: Instant
    private var wait: Interval

    init(_ id: STUNTransactionID, _ purpose: Purpose, isSigned: Bool, wait: Interval, now: Instant) {
        self.id = id
        self.purpose = purpose
        self.isSigned = isSigned
        self.wait = wait
        nextAt = now + wait
    }

    /// Notes a retransmission; the next one waits twice as long, the last one `lastWait`.
    mutating func retransmitted(now: Instant, isLast: Bool, lastWait: Interval) {
        attempts += 1
        wait = isLast ? lastWait : wait * 2
        nextAt = now + wait
    }

    /// Notes a retransmission; the next one waits twice as long, and never longer than `longest`.
    mutating func retransmitted(now: Instant, longest: Interval) {
        attempts += 1
        wait = min(wait * 2, longest)
        nextAt = now + wait
    }
}

/// A permission: which address may send to the relay.
struct TURNPermission {
    enum State {
        case requested
        case granted(until: Instant)
        case refused
    }

    /// With port 0: permissions are about addresses.
    let address: TransportAddress
    var state: State
}

/// A peer that datagrams were sent to, and the channel that is its own. Its place in the client's list is the channel's
/// number less 0x4000.
struct TURNPeer {
    enum Channel {
        case none
        case requested
        case bound(until: Instant)
        case refused
    }

    let address: TransportAddress
    let number: UInt16
    var channel = Channel.none
    /// Something was sent since the last renewal: else it is not renewed again.
    var isUsed = true
    /// What waits for the permission.
    var held: [[UInt8]] = []
}

extension TransportAddress {
    var withoutPort: TransportAddress {
        isIPv4 ? TransportAddress(ipv4: ipv4, port: 0) : TransportAddress(high: high, low: low, port: 0)
    }
}
