/// What W3C webrtc-stats tells of a session, or of all sessions of a call, at one moment.
public struct StatsReport: Encodable, Sendable, Hashable {
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// In no order that means something.
    public var stats: [StatsObject]

    /// The objects of a type, such as `inbound-rtp`.
    public func objects(_ type: String) -> [StatsObject] { stats.filter { $0.type == type } }

    /// The object that another one refers to.
    public subscript(id: String) -> StatsObject? { stats.first { $0.id == id } }
}

/// One object of W3C webrtc-stats. Encoded it is the object itself.
public enum StatsObject: Encodable, Sendable, Hashable {
    /// A received stream.
    case inboundRTP(InboundRTPStreamStats)
    /// A sent stream.
    case outboundRTP(OutboundRTPStreamStats)
    /// How a sent stream arrived.
    case remoteInboundRTP(RemoteInboundRTPStreamStats)
    /// What the sender of a received stream says.
    case remoteOutboundRTP(RemoteOutboundRTPStreamStats)
    /// What a sent track is made from.
    case mediaSource(MediaSourceStats)
    /// How sound is played.
    case mediaPlayout(MediaPlayoutStats)
    /// A codec.
    case codec(CodecStats)
    /// A connection's path and keys.
    case transport(TransportStats)
    /// Two candidates.
    case candidatePair(CandidatePairStats)
    /// One of ours, or one of the other side's.
    case candidate(CandidateStats)
    /// A connection.
    case peerConnection(PeerConnectionStats)
    /// A data channel.
    case dataChannel(DataChannelStats)

    /// Unique in a report, and the same in later ones; empty where the stream is not known yet.
    public var id: String {
        switch self {
        case .inboundRTP(let stats): stats.id ?? ""
        case .outboundRTP(let stats): stats.id
        case .remoteInboundRTP(let stats): stats.id
        case .remoteOutboundRTP(let stats): stats.id
        case .mediaSource(let stats): stats.id
        case .mediaPlayout(let stats): stats.id
        case .codec(let stats): stats.id
        case .transport(let stats): stats.id
        case .candidatePair(let stats): stats.id
        case .candidate(let stats): stats.id
        case .peerConnection(let stats): stats.id
        case .dataChannel(let stats): stats.id
        }
    }

    /// By W3C's `RTCStatsType`.
    public var type: String {
        switch self {
        case .inboundRTP(let stats): stats.type
        case .outboundRTP(let stats): stats.type
        case .remoteInboundRTP(let stats): stats.type
        case .remoteOutboundRTP(let stats): stats.type
        case .mediaSource(let stats): stats.type
        case .mediaPlayout(let stats): stats.type
        case .codec(let stats): stats.type
        case .transport(let stats): stats.type
        case .candidatePair(let stats): stats.type
        case .candidate(let stats): stats.type
        case .peerConnection(let stats): stats.type
        case .dataChannel(let stats): stats.type
        }
    }

    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .inboundRTP(let stats): try stats.encode(to: encoder)
        case .outboundRTP(let stats): try stats.encode(to: encoder)
        case .remoteInboundRTP(let stats): try stats.encode(to: encoder)
        case .remoteOutboundRTP(let stats): try stats.encode(to: encoder)
        case .mediaSource(let stats): try stats.encode(to: encoder)
        case .mediaPlayout(let stats): try stats.encode(to: encoder)
        case .codec(let stats): try stats.encode(to: encoder)
        case .transport(let stats): try stats.encode(to: encoder)
        case .candidatePair(let stats): try stats.encode(to: encoder)
        case .candidate(let stats): try stats.encode(to: encoder)
        case .peerConnection(let stats): try stats.encode(to: encoder)
        case .dataChannel(let stats): try stats.encode(to: encoder)
        }
    }
}
