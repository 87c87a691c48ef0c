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

    package var priority: UInt32 { CandidatePriority.candidate(type, localPreference: localPreference) }
    /// What PRIORITY says in checks from here: the priority a candidate learnt from them gets (section 7.1.1).
    var peerReflexivePriority: UInt32 {
        CandidatePriority.candidate(.peerReflexive, localPreference: localPreference)
    }

    init(host address: TransportAddress, base: TransportAddress, localPreference: UInt16) {
        type = .host
        self.address = address
        self.base = base
        self.localPreference = localPreference
        foundation = String(LocalCandidate.foundation(address))
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
            related: type == .host ? nil : base, ufrag: ufrag)
    }

    /// Equal for host candidates of one address, whatever the port (section 5.1.1.3): FNV-1a over the address.
    private static func foundation(_ address: TransportAddress) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for word in [address.high, address.low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                hash = (hash ^ UInt32(truncatingIfNeeded: word >> UInt64(shift) & 0xff)) &* 16_777_619
            }
        }
        return hash
    }
}
