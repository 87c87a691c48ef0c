/// What a connection carries, as `RTCTransportStats` of W3C webrtc-stats describes it.
public struct TransportStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "transport"
    /// UDP datagrams but for connectivity checks.
    public var packetsSent: Int
    /// The same, received.
    public var packetsReceived: Int
    /// Bytes of their payload.
    public var bytesSent: Int
    /// The same, received.
    public var bytesReceived: Int
    /// `controlling` or `controlled`.
    public var iceRole: String
    /// Our user name fragment of the present generation.
    public var iceLocalUsernameFragment: String
    /// `new`, `checking`, `connected`, `completed`, `disconnected`, `failed` or `closed`.
    public var iceState: String
    /// `new`, `connecting`, `connected`, `closed` or `failed`.
    public var dtlsState: String
    /// `client`, `server` or `unknown`.
    public var dtlsRole: String
    /// As IANA's registry of DTLS-SRTP names it; nil before the handshake.
    public var srtpCipher: String?
    /// The `candidate-pair` that media takes; nil before there is one.
    public var selectedCandidatePairId: String?
    /// How often another one was chosen.
    public var selectedCandidatePairChanges: Int
}

/// Two candidates and what their checks came to: `RTCIceCandidatePairStats`.
public struct CandidatePairStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "candidate-pair"
    /// `transport` that may take it.
    public var transportId: String
    /// Of the two.
    public var localCandidateId: String
    /// Of the two.
    public var remoteCandidateId: String
    /// `frozen`, `waiting`, `in-progress`, `failed` or `succeeded`.
    public var state: String
    /// Whether media takes it.
    public var nominated: Bool
    /// Of the latest answered check, in seconds; nil before.
    public var currentRoundTripTime: Double?
    /// What the path bears by congestion control, bit/s; of the pair that media takes, where it was measured.
    public var availableOutgoingBitrate: Double?
}

/// An address that media may come from or go to: `RTCIceCandidateStats`.
public struct CandidateStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// `local-candidate` or `remote-candidate`.
    public var type: String
    /// `transport` that it belongs to.
    public var transportId: String
    /// IP address.
    public var address: String
    /// UDP port.
    public var port: Int
    /// `udp`: of what lies between us and the other side, also where TCP leads to a relay.
    public var `protocol` = "udp"
    /// `host`, `srflx`, `prflx` or `relay`.
    public var candidateType: String
    /// RFC 8445 section 5.1.2.
    public var priority: UInt32
    /// RFC 8445 section 5.1.1.3.
    public var foundation: String
    /// Where it comes from; nil for a host's, and where that isn't told.
    public var relatedAddress: String?
    /// Where it comes from; nil for a host's, and where that isn't told.
    public var relatedPort: Int?
}

/// A connection: `RTCPeerConnectionStats`.
public struct PeerConnectionStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "peer-connection"
    /// Data channels that have been open.
    public var dataChannelsOpened: Int
    /// Those of them that are no longer.
    public var dataChannelsClosed: Int
}

/// A data channel: `RTCDataChannelStats`.
public struct DataChannelStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "data-channel"
    /// The channel's name, as its opener chose it.
    public var label: String
    /// The application protocol that its opener named; usually empty.
    public var `protocol`: String
    /// The stream of SCTP; nil before the association stands.
    public var dataChannelIdentifier: Int?
    /// `connecting`, `open` or `closing`.
    public var state: String
    /// Messages that were handed in.
    public var messagesSent: Int
    /// Bytes of those.
    public var bytesSent: Int
    /// Messages that came.
    public var messagesReceived: Int
    /// Bytes of those.
    public var bytesReceived: Int
}
