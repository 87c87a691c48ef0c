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

    package init(streamID: String, trackID: String, ssrc: UInt32, rtxSSRC: UInt32? = nil, cname: String? = nil) {
        self.streamID = streamID
        self.trackID = trackID
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.cname = cname
    }
}
