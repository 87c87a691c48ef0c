import RTCWire

/// What an answer must know of the open offer beyond its lines.
struct RemoteOffer: Sendable {
    /// The mids of the BUNDLE group that are live lines, in its order; nil where the offer has no group.
    var bundle: [String]?
    /// `a=extmap-allow-mixed` for the whole session, which is the only place we answer it.
    var allowsMixedExtensions: Bool
    /// The lines that share the transport, by index; the others are rejected.
    var bundled: Set<Int>
    /// The other side restarted ICE.
    var restartsICE: Bool
}

/// What our open offer says of one line.
struct OfferedLine: Sendable {
    struct Codec: Sendable {
        /// Index in the configuration.
        var capability: Int
        var numbers: NumberTable.PayloadTypes
        /// Our `a=fmtp`.
        var parameters: SDPFormatParameters
        var feedback: CodecFeedback
    }

    var isStopped: Bool
    var direction: MediaDirection
    /// Whether a stream of ours is named.
    var announcesStream = false
    var codecs: [Codec] = []
    var extensionMap = RTPExtensionMap()
}
