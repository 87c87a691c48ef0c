import RTCWire

/// What an association is made from. The defaults are for WebRTC: the path's life is ICE's business, so nothing is
/// given up for want of answers.
package struct SCTPConfiguration: Sendable {
    /// The port in all our descriptions (RFC 8841 section 5).
    package static let localPort: UInt16 = 5000
    /// What a description without `a=max-message-size` means (RFC 8841 section 6.1).
    package static let defaultMaximumMessageSize = 65_536

    /// Streams in each direction: the ids 0...1023, as many as browsers use.
    package var maximumStreams: UInt16 = 1024
    /// Largest packet, in bytes: what fits into one DTLS record on the path. A multiple of four.
    package var maximumPacket = 1136
    /// What may be received and not yet complete, in bytes; advertised to the other side.
    package var receiveWindow = 1 << 20
    /// Largest message taken from the other side, in bytes.
    package var maximumMessageSize = 262_144
    /// Fragments held at once at most, whatever their size.
    package var maximumFragments = 16_384
    /// Gaps in the received TSNs at most; what would make another is dropped and has to come again.
    package var maximumGaps = 512
    /// Bytes that may wait to be sent, over all streams.
    package var sendBufferLimit = 16 << 20

    /// RTO before the round trip has been measured, and its bounds (RFC 9260 section 6.3.1). The lower one stands above
    /// what receivers may delay their answers; the upper one is small, so that data flows soon after a blackout.
    package var initialRTO = Interval.milliseconds(500)
    package var minimumRTO = Interval.milliseconds(400)
    package var maximumRTO = Interval.seconds(3)
    /// Longest time that an answer to data waits for more (section 6.2).
    package var acknowledgementDelay = Interval.milliseconds(200)
    /// Silence after which the path is probed (section 8.3).
    package var heartbeatInterval = Interval.seconds(30)
    /// How long a cookie is good for (section 5.1.3).
    package var cookieLifetime = Interval.seconds(60)
    /// Unanswered sends in a row after which the association ends (section 8.1); nil for never.
    package var maximumRetransmissions: Int?
    /// Packets that one event may send at most (section 6.1, Max.Burst).
    package var maximumBurst = 4
    /// Seed of tags and TSNs; nil takes the system's generator.
    package var seed: UInt64?

    package init() {}
}
