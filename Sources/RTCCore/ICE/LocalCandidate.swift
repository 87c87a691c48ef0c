import RTCWire

/// A candidate of ours: an address the other side may send to, and the socket behind it.
package struct LocalCandidate: Sendable, Hashable {
    package var type: CandidateType
    /// What the other side is told, or sees.
    package var address: TransportAddress
    /// The socket's address; the key by which the shell says where a datagram came in.
    package var base: TransportAddress
    /// 0...65535, larger is better; unique per address where several are given (RFC 8445 section 5.1.2.1).
    package var localPreference: UInt16
    package var foundation: String
    /// Where the candidate comes from (RFC 8445 section 5.1.3): the base of a server-reflexive one, our address at the
    /// TURN server of a relayed one; nil for none, or to keep it to ourselves.
    package var related: TransportAddress?
    /// Which way datagrams from here take: stamped on them in the outbox.
    package var path: UInt8 = 0
    /// Of a TCP candidate; nil for UDP.
    package var tcpType: TCPCandidateType?

    package var priority: UInt32 {
        CandidatePriority.candidate(type, localPreference: localPreference, tcpType: tcpType)
    }
    /// What PRIORITY says in checks from here: the priority a candidate learnt from them gets (section 7.1.1).
    var peerReflexivePriority: UInt32 {
        CandidatePriority.candidate(.peerReflexive, localPreference: localPreference, tcpType: tcpType)
    }

    init(
        host address: TransportAddress, base: TransportAddress, path: UInt8 = 0, localPreference: UInt16,
        tcpType: TCPCandidateType? = nil
    ) {
        type = .host
        self.address = address
        self.base = base
        self.path = path
        self.localPreference = localPreference
        self.tcpType = tcpType
        foundation = String(LocalCandidate.foundation(address))
    }

    /// What a STUN or TURN server has told of us (RFC 8445 section 5.1.1.2).
    ///
    /// - Parameters:
    ///   - base: of a server-reflexive candidate the socket's address, of a relayed one its own.
    ///   - server: candidates of one type learnt from different servers differ in foundation (section 5.1.1.3).
    init(
        _ type: CandidateType, _ address: TransportAddress, base: TransportAddress, related: TransportAddress?,
        server: TransportAddress, path: UInt8, localPreference: UInt16
    ) {
        self.type = type
        self.address = address
        self.base = base
        self.related = related
        self.path = path
        self.localPreference = localPreference
        let mixed = LocalCandidate.foundation(base) &* 31 &+ LocalCandidate.foundation(server)
        foundation = String(mixed &* 31 &+ UInt32(type.rawValue))
    }

    /// Whether signalled candidates make pairs with it: a server-reflexive one stands behind its base (RFC 8445 section
    /// 6.1.2.4), and a passive one waits for connections (RFC 6544 section 6.2).
    var opensChecks: Bool { type != .serverReflexive && tcpType != .passive }

    /// Whether the two can make a pair (RFC 8445 section 6.1.2.2, RFC 6544 section 6.2).
    func pairs(with remote: RemoteCandidate) -> Bool {
        guard address.canReach(remote.address) else { return false }
        return switch (tcpType, remote.tcpType) {
        case (nil, nil), (.active, .passive), (.passive, .active): true
        default: false
        }
    }

    /// The candidate that a response's mapped address reveals, section 7.2.5.3.1.
    func peerReflexive(mapped: TransportAddress) -> LocalCandidate {
        var candidate = self
        candidate.type = .peerReflexive
        candidate.address = mapped
        return candidate
    }

    /// The line that tells the other side of it.
    package func sdp(ufrag: String) -> ICECandidate {
        ICECandidate(
            foundation: foundation, priority: priority, address: address, type: type.sdp,
            related: type == .host ? nil : related ?? LocalCandidate.hidden(address), tcpType: tcpType?.name,
            ufrag: ufrag)
    }

    /// The related address of who does not tell it: 0.0.0.0 or ::, port 0 (RFC 8839 section 5.1).
    private static func hidden(_ address: TransportAddress) -> TransportAddress {
        address.isIPv4 ? TransportAddress(ipv4: 0, port: 0) : TransportAddress(high: 0, low: 0, port: 0)
    }

    /// Equal for host candidates of one address and one transport, whatever the port (section 5.1.1.3): FNV-1a over the
    /// address.
    private static func foundation(_ address: TransportAddress) -> UInt32 {
        var hash: UInt32 = address.transport == .udp ? 2_166_136_261 : 3_826_002_220
        for word in [address.high, address.low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                hash = (hash ^ UInt32(truncatingIfNeeded: word >> UInt64(shift) & 0xff)) &* 16_777_619
            }
        }
        return hash
    }
}
