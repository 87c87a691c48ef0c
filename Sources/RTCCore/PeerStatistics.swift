import RTCWire

/// What a whole `Peer` has counted.
package struct PeerStatistics: Sendable, Hashable {
    package var datagramsReceived = 0
    package var bytesReceived = 0
    package var datagramsSent = 0
    package var bytesSent = 0
    /// Datagrams that are neither STUN, DTLS, RTP nor RTCP.
    package var unknownDatagrams = 0
    /// DTLS from an address that passed no connectivity check.
    package var unauthenticatedDatagrams = 0
    /// Media or RTCP before the SRTP keys stood.
    package var earlyDatagrams = 0
    /// RTP and RTCP that did not open (wrong tag, replay, malformed).
    package var unopenedDatagrams = 0
    /// Opened, but unreadable inside.
    package var malformedPackets = 0
    /// Packets whose payload type no line knows.
    package var unknownPayloadTypes = 0
    /// Packets of SSRCs beyond `StreamLimits.maximumReceiveStreams`.
    package var refusedStreams = 0
    /// Retransmissions whose primary source is unknown.
    package var orphanRetransmissions = 0
    /// Packets offered to `send` or `forward` that were too large, of an unknown SSRC, or before the keys stood.
    package var unsentPackets = 0
    /// Messages of data channels that no channel is open for, or of an unknown kind.
    package var strayMessages = 0

    /// Transport-wide feedback messages.
    package var transportFeedbackSent = 0
    package var transportFeedbackReceived = 0

    package init() {}
}

/// What one stream has counted. Which fields move depends on the direction.
package struct StreamStatistics: Sendable, Hashable {
    /// RTP packets: received originals and recovered ones, or sent ones without retransmissions.
    package var packets = 0
    /// Payload bytes of those.
    package var bytes = 0
    /// Received streams: expected minus received, retransmissions not counted in (RFC 3550 section 6.4.1).
    /// Sent streams: what the other side's last report says.
    package var lost = 0
    /// Packets that came as a repetition: over RTX, or after a NACK where there is no RTX.
    package var recovered = 0
    /// Missing packets that were asked for as often as allowed, or had no room in the list.
    package var givenUp = 0
    /// Packets that were there already.
    package var duplicates = 0
    /// NACK messages.
    package var nacksSent = 0
    package var nacksReceived = 0
    package var plisSent = 0
    package var plisReceived = 0
    package var firsSent = 0
    package var firsReceived = 0
    /// Packets sent again on request.
    package var retransmitted = 0
    /// Packets that were asked for again beyond what may be repeated (`RetransmissionBudget`).
    package var retransmissionsRefused = 0
    /// Interarrival jitter in seconds (RFC 3550 section 6.4.1): measured here, or as reported.
    package var jitter = 0.0
    /// Share of packets lost in the last report interval, 0...1.
    package var fractionLost = 0.0
    /// Last round-trip time by reports, nil until known.
    package var roundTripTime: Interval?

    package init() {}
}
