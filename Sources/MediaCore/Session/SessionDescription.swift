/// An offer or an answer in its wire form (RFC 8829): signalling carries it and never looks inside.
public struct SessionDescription: Sendable, Hashable {
    /// Whether it asks or replies.
    public enum Kind: String, Sendable, Hashable {
        /// Opens a negotiation.
        case offer
        /// Closes it.
        case answer
    }

    /// Offer or answer.
    public var kind: Kind
    /// The SDP text, with CRLF line ends.
    public var sdp: String

    /// A description received from, or to be sent by, signalling.
    public init(kind: Kind, sdp: String) {
        self.kind = kind
        self.sdp = sdp
    }
}

/// A trickled ICE candidate in its wire form (RFC 8840): the members of the web's `RTCIceCandidateInit`.
public struct SessionCandidate: Sendable, Hashable {
    /// The candidate line, `candidate:...`; empty means that no more follow.
    public var candidate: String
    /// The media identification of the section it belongs to.
    public var mid: String?
    /// The index of that section.
    public var lineIndex: Int?
    /// The ICE user name fragment it was gathered for.
    public var usernameFragment: String?

    /// Whether its address is a TURN server's, and tells nothing of where its owner is.
    public var isRelayed: Bool { candidate.contains(" typ relay") }

    /// A candidate received from, or to be sent by, signalling.
    public init(candidate: String, mid: String? = nil, lineIndex: Int? = nil, usernameFragment: String? = nil) {
        self.candidate = candidate
        self.mid = mid
        self.lineIndex = lineIndex
        self.usernameFragment = usernameFragment
    }
}
