/// What a whole `Peer` has counted.
package struct PeerStatistics: Sendable, Hashable {
    package var datagramsReceived = 0
    package var bytesReceived = 0
    package var datagramsSent = 0
    package var bytesSent = 0
    /// Those of them that were connectivity checks and their answers.
    package var checksReceived = 0
    package var checkBytesReceived = 0
    package var checksSent = 0
    package var checkBytesSent = 0
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
    /// Estimates of what the path to us bears.
    package var receiverEstimatesSent = 0

    package init() {}
}
