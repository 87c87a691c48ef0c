/// The codecs whose frames can be recorded as they come.
package enum MediaCodec: String, Sendable, Hashable, CaseIterable {
    case opus, vp8, vp9, av1, h264

    /// The codec with that name, as SDP writes it; nil for another one.
    package init?(sdpName: String) { self.init(rawValue: sdpName.lowercased()) }

    /// Sound or pictures.
    package var kind: MediaKind { self == .opus ? .audio : .video }

    /// Ticks of its RTP timestamps in a second.
    package var clockRate: Int64 { self == .opus ? 48_000 : 90_000 }
}
