import RTCWire

/// A candidate of the other side: signalled, or learnt from an authenticated check.
package struct RemoteCandidate: Sendable, Hashable {
    package var type: CandidateType
    package var address: TransportAddress
    package var priority: UInt32
    package var foundation: String
    /// The generation it was named for, where it was; candidates may come before the remote credentials do.
    var ufrag: String?
    /// Of a TCP candidate; nil for UDP.
    package var tcpType: TCPCandidateType?
}

/// What became of a candidate that the other side signalled.
package enum RemoteCandidateResult: Sendable, Hashable {
    case added
    /// Its address was known; a peer-reflexive one has taken the signalled type and priority.
    case known
    /// Of a generation whose credentials have not come yet; kept until they do.
    case deferred
    /// An active TCP candidate: nothing is sent there, its connection comes to us.
    case awaited
    case ignored(Reason)

    package enum Reason: UInt8, Sendable, Hashable {
        /// An unknown transport, candidate type or kind of TCP candidate.
        case transport
        /// A `.local` or domain name.
        case hostName
        case component
        /// Unspecified, multicast, or port 0.
        case unusableAddress
        /// Of a generation that is over.
        case generation
        case limit
        /// The agent is closed.
        case closed
    }
}

extension TransportAddress {
    /// Whether a packet can be sent to it and answered: no port 0, no unspecified, multicast or broadcast address.
    var isUsableDestination: Bool {
        guard port != 0 else { return false }
        if isIPv4 { return ipv4 >> 24 != 0 && ipv4 < 0xe000_0000 }
        return high >> 56 != 0xff && !(high == 0 && low == 0)
    }

    /// fe80::/10, which pairs only with its like (RFC 8445 section 6.1.2.2).
    var isIPv6LinkLocal: Bool { high >> 54 == 0x3fa }
    var isLoopback: Bool { isIPv4 ? ipv4 >> 24 == 127 : high == 0 && low == 1 }

    /// Whether a socket at the one address may reach the other.
    func canReach(_ other: TransportAddress) -> Bool {
        isIPv4 == other.isIPv4 && transport == other.transport && isIPv6LinkLocal == other.isIPv6LinkLocal
    }
}
