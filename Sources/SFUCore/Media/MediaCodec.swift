import RTCCore

/// What a forwarder has to know about a payload format.
public enum MediaCodec: UInt8, Sendable, Hashable {
    case opus
    case vp8
    case vp9
    case h264
    case h265
    case av1
    /// Forwarded as it is: any packet may begin a stream.
    case otherAudio
    /// Forwarded as it is: any packet may begin a stream.
    case otherVideo

    /// `name` as in `a=rtpmap`, case ignored.
    package init(name: String, kind: StreamKind) {
        switch (kind, name.lowercased()) {
        case (.audio, "opus"): self = .opus
        case (.video, "vp8"): self = .vp8
        case (.video, "vp9"): self = .vp9
        case (.video, "h264"): self = .h264
        case (.video, "h265"): self = .h265
        case (.video, "av1"): self = .av1
        case (.audio, _): self = .otherAudio
        case (.video, _): self = .otherVideo
        }
    }

    package var kind: StreamKind { self == .opus || self == .otherAudio ? .audio : .video }
    /// Forwarding may begin at a key frame only.
    var needsKeyFrame: Bool { kind == .video && self != .otherVideo }
    /// Packets say their layers in the dependency descriptor alone.
    var usesDependencyDescriptor: Bool { self == .av1 || self == .h264 || self == .h265 }
}

/// The payload types that a producer's packets come in.
package struct ProducerPayloads: Sendable, Hashable {
    /// The codec's; nil takes every type that is none of the others.
    package var primary: UInt8?
    /// The codec's packets with copies of earlier ones (RFC 2198).
    package var redundancy: UInt8?
    /// Tones of a telephone's keys (RFC 4733).
    package var events: UInt8?

    package init(primary: UInt8? = nil, redundancy: UInt8? = nil, events: UInt8? = nil) {
        self.primary = primary
        self.redundancy = redundancy
        self.events = events
    }

    func format(of payloadType: UInt8) -> PacketFormat? {
        if payloadType == redundancy { return .redundant }
        if payloadType == events { return .event }
        return primary == nil || primary == payloadType ? .primary : nil
    }
}

/// How a packet carries its producer's media.
enum PacketFormat: UInt8, Sendable {
    case primary
    /// With copies of earlier packets.
    case redundant
    case event
}
