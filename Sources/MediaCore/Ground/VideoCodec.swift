/// The codecs that pictures are sent in. (More are decoded.)
public enum VideoCodec: String, Sendable, Hashable, CaseIterable {
    /// RFC 6386, by libvpx: every peer takes it.
    case vp8
    /// Profile 0, by libvpx: finer than VP8 for the same bits, at about twice the processor time.
    case vp9
    /// Constrained baseline, by OpenH264.
    case h264

    /// The codec with that name, as SDP or a user writes it; nil for another one.
    public init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// As SDP writes it: `VP8`, `VP9`, `H264`.
    public var name: String { rawValue.uppercased() }
}
