import RTCWire

/// One m-line, in the words of our side.
package struct MediaLine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// In use, or waiting for the next offer.
        case active
        /// Stopped here; the next description says so.
        case stopping
        /// Rejected or stopped by both descriptions: `addLine` may use it again.
        case stopped
    }

    /// Position in the description, from 0; the m-line index of trickled candidates.
    package let index: Int
    /// Empty where the other side names none (possible with a single line only).
    package internal(set) var mid: String
    package internal(set) var kind: SDPMediaKind
    package internal(set) var state: State = .active
    /// What we want; nil takes part in whatever the other side offers.
    package internal(set) var wantedDirection: MediaDirection?
    /// What both descriptions allow, seen from us; inactive before the first negotiation.
    package internal(set) var direction: MediaDirection = .inactive
    /// What both sides know, in the answer's order of preference: send with the first.
    package internal(set) var codecs: [NegotiatedCodec] = []
    /// The header extensions that both sides know, with the offer's ids.
    package internal(set) var extensionMap = RTPExtensionMap()
    /// What we send here.
    package internal(set) var send: SendDescription?
    /// Whether the other side was last told of a stream of ours here. It takes a stream of another name for the one that it
    /// knows until it has been told that one ends, and reports no new track (webrtc-pc section 4.4.1.5).
    package internal(set) var announcesStream = false
    /// What the other side last said of this line; nil before.
    package internal(set) var remote: RemoteMedia?
    /// Names of the codecs to offer or accept, in order of preference; nil for all, in the order of the configuration
    /// when offering and of the offer when answering.
    package internal(set) var codecNames: [String]?
    /// Format parameters to add in our descriptions, by codec name in lower case.
    package internal(set) var extraParameters: [String: SDPFormatParameters] = [:]

    init(index: Int, mid: String, kind: SDPMediaKind) {
        self.index = index
        self.mid = mid
        self.kind = kind
    }

    package var isStopped: Bool { state == .stopped }
    /// True for audio and video.
    package var isRTP: Bool { kind == .audio || kind == .video }
    /// True for what can share a DTLS transport: secure RTP and SCTP over DTLS.
    var isTransportable: Bool {
        guard let remote else { return false }
        return isRTP ? remote.isSecureRTP : kind == .application && remote.protocolName.hasSuffix("DTLS/SCTP")
    }
    /// How errors name the line.
    package var name: LineName { LineName(index: index, mid: mid) }
    /// The codec to send with.
    package var sendCodec: NegotiatedCodec? { codecs.first }
    /// The stream and track that the other side sends here while the line receives.
    package var remoteStreamID: SDPStreamID? { direction.receives ? remote?.msid : nil }
    /// We send nothing here, and the other side knows it.
    package var isFree: Bool { isRTP && state == .active && send == nil && !announcesStream }
    /// A place for a new subscription: the line is free, and the other side is ready to receive, or we have ourselves made
    /// the line inactive.
    package var isIdle: Bool { isFree && (remote?.direction.receives == true || wantedDirection == .inactive) }

    /// The codecs of `capabilities` that this line may use, in its order of preference, by their index.
    func allowed(_ capabilities: [CodecCapability]) -> [Int] {
        let mine = capabilities.indices.filter { capabilities[$0].kind == kind }
        guard let codecNames else { return mine }
        return codecNames.flatMap { name in
            mine.filter { capabilities[$0].name.asciiLowercased == name.asciiLowercased }
        }
    }
}
