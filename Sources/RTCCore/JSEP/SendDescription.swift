/// What one of our lines sends, as its description announces it.
package struct SendDescription: Hashable, Sendable {
    /// `-` for no stream. LiveKit's server writes `PA_x|TR_x` here.
    package var streamID: String
    package var trackID: String
    package var ssrc: UInt32
    /// Announced by `a=ssrc-group:FID`; without it libwebrtc takes no retransmission stream.
    package var rtxSSRC: UInt32?
    /// Canonical name (RFC 7022); nil takes the configuration's.
    package var cname: String?
    /// The streams of a simulcast, the largest first; our offer then names rids in place of sources, as libwebrtc's does.
    /// The first one's numbers are `ssrc` and `rtxSSRC`: a peer that takes no simulcast gets that stream alone.
    package var layers: [SendLayer]

    package init(
        streamID: String, trackID: String, ssrc: UInt32, rtxSSRC: UInt32? = nil, cname: String? = nil,
        layers: [SendLayer] = []
    ) {
        self.streamID = streamID
        self.trackID = trackID
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.cname = cname
        self.layers = layers
    }
}

/// One stream of a simulcast that we send (RFC 8853).
package struct SendLayer: Hashable, Sendable {
    /// 1 to 16 letters or digits (RFC 8851 section 10).
    package var rid: String
    package var ssrc: UInt32
    package var rtxSSRC: UInt32?

    package init(rid: String, ssrc: UInt32, rtxSSRC: UInt32? = nil) {
        self.rid = rid
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
    }
}

extension String {
    /// An RTP stream id that fits its header extension.
    var isRID: Bool {
        (1...16).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
