/// What a datagram on a bundled transport is, told from its first bytes (RFC 7983 section 7, RFC 5761 section 4).
///
/// ```
///                  +----------------+
///                  |        [0..3] -+--> STUN
///                  |      [16..19] -+--> ZRTP
///      packet -->  |      [20..63] -+--> DTLS
///                  |      [64..79] -+--> TURN channel
///                  |    [128..191] -+--> RTP, or RTCP where the second byte is 192...223
///                  +----------------+
/// ```
public enum PacketKind: UInt8, Hashable, Sendable, CaseIterable {
    case stun
    case zrtp
    case dtls
    case turnChannel
    case rtp
    case rtcp
    case unknown

    /// The kind of `bytes`; `.unknown` also for what is shorter than the smallest unit of its kind.
    package static func classify(_ bytes: RawSpan) -> PacketKind {
        guard bytes.byteCount >= 4 else { return .unknown }
        switch bytes.byte(0) {
        case 0...3: return bytes.byteCount >= STUNMessage.headerLength ? .stun : .unknown
        case 16...19: return .zrtp
        case 20...63: return bytes.byteCount >= 13 ? .dtls : .unknown
        case 64...79: return .turnChannel
        case 128...191:
            if isRTCP(secondByte: bytes.byte(1)) { return .rtcp }
            return bytes.byteCount >= RTPHeader.fixedLength ? .rtp : .unknown
        default: return .unknown
        }
    }

    /// Whether a packet of version 2 with this second byte is RTCP rather than RTP (RFC 5761 section 4).
    package static func isRTCP(secondByte: UInt8) -> Bool { (192...223).contains(secondByte) }
}
