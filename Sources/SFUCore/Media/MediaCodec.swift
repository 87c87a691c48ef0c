import RTCCore

/// What a forwarder has to know about a payload format.
package enum MediaCodec: UInt8, Sendable, Hashable {
    case opus
    case vp8
    /// Forwarded as it is: any packet may begin a stream.
    case otherAudio
    /// Forwarded as it is: any packet may begin a stream.
    case otherVideo

    /// `name` as in `a=rtpmap`, case ignored.
    package init(name: String, kind: StreamKind) {
        switch (kind, name.lowercased()) {
        case (.audio, "opus"): self = .opus
        case (.video, "vp8"): self = .vp8
        case (.audio, _): self = .otherAudio
        case (.video, _): self = .otherVideo
        }
    }

    package var kind: StreamKind { self == .opus || self == .otherAudio ? .audio : .video }
    /// Forwarding may begin at a key frame only.
    var needsKeyFrame: Bool { self == .vp8 }
}
