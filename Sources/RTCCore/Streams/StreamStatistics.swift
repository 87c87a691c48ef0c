import RTCWire

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
