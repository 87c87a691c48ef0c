import RTCWire

/// One stream that a `Peer` sends.
package struct SendStreamConfiguration: Sendable {
    /// Who keeps packets for retransmission.
    package enum Cache: Sendable, Hashable {
        /// The peer keeps the last `packets` packets and answers NACKs itself.
        case own(packets: Int)
        /// The caller numbers the packets and answers `PeerEvent.nack` itself (forwarding).
        case external
    }

    package var ssrc: UInt32
    /// Both or neither: retransmissions then use this SSRC and payload type (RFC 4588).
    package var rtxSSRC: UInt32?
    package var payloadType: UInt8
    package var rtxPayloadType: UInt8?
    /// RTP clock in Hz, greater than 0.
    package var clockRate: UInt32
    package var kind: StreamKind
    package var mid: ShortToken?
    /// Of a stream of a simulcast.
    package var rid: ShortToken?
    /// The negotiated extensions; only these are written.
    package var extensionMap: RTPExtensionMap
    /// SDES canonical name; nil takes the peer's.
    package var cname: String?
    package var cache: Cache

    /// `cache` nil keeps 512 packets of video and 64 of audio.
    package init(
        ssrc: UInt32, rtxSSRC: UInt32? = nil, payloadType: UInt8, rtxPayloadType: UInt8? = nil, clockRate: UInt32,
        kind: StreamKind, mid: ShortToken? = nil, rid: ShortToken? = nil,
        extensionMap: RTPExtensionMap = RTPExtensionMap(), cname: String? = nil, cache: Cache? = nil
    ) {
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.payloadType = payloadType
        self.rtxPayloadType = rtxPayloadType
        self.clockRate = clockRate
        self.kind = kind
        self.mid = mid
        self.rid = rid
        self.extensionMap = extensionMap
        self.cname = cname
        self.cache = cache ?? .own(packets: kind == .video ? 512 : 64)
    }
}

/// The header of a packet whose numbering is the caller's (`Peer.forward`).
package struct OutgoingRTP: Sendable {
    package var ssrc: UInt32
    package var payloadType: UInt8
    package var marker: Bool
    package var sequenceNumber: UInt16
    package var timestamp: UInt32
    /// Written where the stream's extension map has an id; `mid`, send time and transport sequence number are the peer's.
    package var extensions: RTPExtensions
    /// Written the same way; valid during the call that this is given to.
    package var opaque: RTPOpaqueElements

    package init(
        ssrc: UInt32, payloadType: UInt8, marker: Bool, sequenceNumber: UInt16, timestamp: UInt32,
        extensions: RTPExtensions = RTPExtensions(), opaque: RTPOpaqueElements = RTPOpaqueElements()
    ) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.marker = marker
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.extensions = extensions
        self.opaque = opaque
    }
}
