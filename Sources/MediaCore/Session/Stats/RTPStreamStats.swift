/// A sent RTP stream as W3C webrtc-stats describes it: `RTCOutboundRtpStreamStats`, with its names, units (seconds, bytes) and
/// definitions. What doesn't concern its kind, or isn't known, is nil.
public struct OutboundRTPStreamStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "outbound-rtp"
    /// `audio` or `video`.
    public var kind: String
    /// The stream's source in RTP.
    public var ssrc: UInt32
    /// Of its section in the description.
    public var mid: String?
    /// Of a simulcast's stream.
    public var rid: String?
    /// Position in the simulcast, from 0.
    public var encodingIndex: Int?
    /// `transport` that carries it.
    public var transportId: String
    /// `codec` of it.
    public var codecId: String?
    /// `media-source` that it is made from.
    public var mediaSourceId: String
    /// `remote-inbound-rtp` that tells how it arrived; nil before the first report.
    public var remoteId: String?
    /// RTP packets, retransmissions included.
    public var packetsSent: Int
    /// Payload bytes of those.
    public var bytesSent: Int
    /// Packets sent again on request.
    public var retransmittedPacketsSent: Int
    /// Payload bytes of those.
    public var retransmittedBytesSent: Int
    /// Requests for repetition that came (RFC 4585 section 6.2.1).
    public var nackCount: Int
    /// Requests for key frames that came (RFC 4585 section 6.3.1).
    public var pliCount: Int?
    /// The same by RFC 5104 section 4.3.1.
    public var firCount: Int?
    /// Pictures that were sent.
    public var framesSent: Int?
    /// Of the last picture, in pixels.
    public var frameWidth: Int?
    /// Of the last picture, in pixels.
    public var frameHeight: Int?
    /// Whether it is to be sent at present.
    public var active: Bool?
}

/// How a sent stream arrived, by the other side's reports: `RTCRemoteInboundRtpStreamStats`.
public struct RemoteInboundRTPStreamStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "remote-inbound-rtp"
    /// `audio` or `video`.
    public var kind: String
    /// The stream's source in RTP.
    public var ssrc: UInt32
    /// `transport` that carries it.
    public var transportId: String
    /// `codec` of it.
    public var codecId: String?
    /// The `outbound-rtp` that it is about.
    public var localId: String
    /// Packets that were expected and have not come.
    public var packetsLost: Int
    /// RFC 3550 section 6.4.1, in seconds.
    public var jitter: Double
    /// Share of packets lost since the report before the last, 0...1.
    public var fractionLost: Double
    /// The last round trip by reports, seconds; nil before the first.
    public var roundTripTime: Double?
    /// All of them, summed.
    public var totalRoundTripTime: Double
    /// How many those are.
    public var roundTripTimeMeasurements: Int
}

/// What the sender of a received stream says of it: `RTCRemoteOutboundRtpStreamStats`.
public struct RemoteOutboundRTPStreamStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "remote-outbound-rtp"
    /// `audio` or `video`.
    public var kind: String
    /// The stream's source in RTP.
    public var ssrc: UInt32
    /// `transport` that carries it.
    public var transportId: String
    /// `codec` of it.
    public var codecId: String?
    /// The `inbound-rtp` that it is about.
    public var localId: String
    /// RTP packets, modulo 2^32.
    public var packetsSent: UInt32
    /// Payload bytes, modulo 2^32.
    public var bytesSent: UInt32
    /// Sender reports that came.
    public var reportsSent: Int
    /// When the last one was made, by the sender's clock: milliseconds since 1970.
    public var remoteTimestamp: Double
}
