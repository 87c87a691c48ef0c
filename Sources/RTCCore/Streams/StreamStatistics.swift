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
    /// Payload bytes of those.
    package var retransmittedBytes = 0
    /// Packets that were asked for again beyond what may be repeated (`RetransmissionBudget`).
    package var retransmissionsRefused = 0
    /// Interarrival jitter in seconds (RFC 3550 section 6.4.1): measured here, or as reported.
    package var jitter = 0.0
    /// Share of packets lost in the last report interval, 0...1.
    package var fractionLost = 0.0
    /// Last round-trip time by reports, nil until known.
    package var roundTripTime: Interval?
    /// Sum of all round-trip times by reports, and their number.
    package var totalRoundTripTime = Interval.zero
    package var roundTripTimes = 0
    /// Reports about a sent stream, or sender reports of a received one.
    package var reportsReceived = 0
    /// What the last sender report of a received stream says was sent; nil before the first.
    package var remote: RemoteSender?

    /// The sender's own account of a stream (RFC 3550 section 6.4.1).
    package struct RemoteSender: Sendable, Hashable {
        /// RTP packets, modulo 2^32.
        package var packets: UInt32
        /// Payload bytes, modulo 2^32.
        package var octets: UInt32
        /// When it was made, by the sender's clock (NTP format).
        package var ntp: UInt64
    }

    package init() {}
}
