import RTCWire

/// What a subscription negotiated.
package struct ConsumerConfiguration: Sendable, Hashable {
    package var ssrc: UInt32
    package var payloadType: UInt8
    /// Both or neither: lost packets are repeated on this stream (RFC 4588).
    package var rtxSSRC: UInt32?
    package var rtxPayloadType: UInt8?
    /// For packets with copies of earlier ones (RFC 2198); nil takes the copies off.
    package var redundancyPayloadType: UInt8?
    /// For tones of a telephone's keys; nil leaves those out.
    package var eventPayloadType: UInt8?
    /// The room's bounds, in place of the publisher's.
    package var playoutDelay: PlayoutDelay?
    /// The payload is encrypted end to end.
    package var isEncrypted = false
    /// What goes behind packets of our own making, at most 128 bytes: it tells receivers of media that is encrypted end to
    /// end that these are in the clear. Empty for media that isn't.
    package var fillerTrailer: [UInt8] = []
    /// Sender reports leave with the first packet and with each change of the source, not only when the connection's are due.
    package var reportsEarly = true
    /// A newcomer begins with a recent key frame that is at hand, and what came since.
    package var replaysRecent = true
    /// Packets carry the dependency descriptor, which says where frames end.
    package var hasDependencyDescriptor = true
    /// The first sequence numbers; only the lower 15 bits are taken.
    package var firstSequence: UInt16
    package var firstRTXSequence: UInt16

    package init(
        ssrc: UInt32, payloadType: UInt8, rtxSSRC: UInt32? = nil, rtxPayloadType: UInt8? = nil,
        redundancyPayloadType: UInt8? = nil, eventPayloadType: UInt8? = nil, playoutDelay: PlayoutDelay? = nil,
        firstSequence: UInt16, firstRTXSequence: UInt16
    ) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.rtxSSRC = rtxSSRC
        self.rtxPayloadType = rtxPayloadType
        self.redundancyPayloadType = redundancyPayloadType
        self.eventPayloadType = eventPayloadType
        self.playoutDelay = playoutDelay
        self.firstSequence = firstSequence
        self.firstRTXSequence = firstRTXSequence
    }
}
