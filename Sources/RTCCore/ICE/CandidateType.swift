import RTCWire

/// The type of a candidate with its type preference, RFC 8445 section 5.1.2.2.
package enum CandidateType: UInt8, Sendable, Hashable {
    case host = 126
    case peerReflexive = 110
    case serverReflexive = 100
    case relay = 0

    init?(_ type: ICECandidate.CandidateType) {
        switch type {
        case .host: self = .host
        case .peerReflexive: self = .peerReflexive
        case .serverReflexive: self = .serverReflexive
        case .relay: self = .relay
        case .other: return nil
        }
    }

    /// The word of the candidate line, as text (RFC 8839 section 5.1).
    package var name: String {
        switch self {
        case .host: "host"
        case .peerReflexive: "prflx"
        case .serverReflexive: "srflx"
        case .relay: "relay"
        }
    }

    /// The word of the candidate line.
    package var sdp: ICECandidate.CandidateType {
        switch self {
        case .host: .host
        case .peerReflexive: .peerReflexive
        case .serverReflexive: .serverReflexive
        case .relay: .relay
        }
    }
}

/// Priorities of candidates and pairs, RFC 8445 sections 5.1.2.1 and 6.1.2.3.
enum CandidatePriority {
    /// Of a candidate for component 1.
    ///
    /// - Parameter tcpType: of a TCP candidate; its preference comes behind that of every UDP candidate but relayed ones,
    ///   and says the direction first (RFC 6544 section 4.2).
    static func candidate(
        _ type: CandidateType, localPreference: UInt16, tcpType: TCPCandidateType? = nil
    ) -> UInt32 {
        guard let tcpType else { return UInt32(type.rawValue) << 24 | UInt32(localPreference) << 8 | 255 }
        let preference = max(type.rawValue, tcpHandicap) - tcpHandicap
        let local = UInt32(tcpType.directionPreference) << 13 | UInt32(localPreference) >> 3
        return UInt32(preference) << 24 | local << 8 | 255
    }

    /// Brings a TCP host candidate (126) just behind a server-reflexive UDP one (100).
    private static let tcpHandicap: UInt8 = 27

    /// Of a pair: 2^32 min(G,D) + 2 max(G,D) + (G > D), which both sides compute alike. What the other side claims above
    /// the largest priority, 2^31 - 1, counts as that.
    static func pair(local: UInt32, remote: UInt32, role: ICERole) -> UInt64 {
        let (ours, theirs) = (min(local, largest), min(remote, largest))
        let (controlling, controlled) = role == .controlling ? (ours, theirs) : (theirs, ours)
        return UInt64(min(controlling, controlled)) << 32
            &+ UInt64(max(controlling, controlled)) << 1
            &+ (controlling > controlled ? 1 : 0)
    }

    private static let largest = UInt32(Int32.max)
}
