/// Which way media flows, seen from whoever wrote the description (RFC 8866 section 6.7).
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    case sendrecv
    case sendonly
    case recvonly
    case inactive

    package init(sends: Bool, receives: Bool) {
        self = sends ? (receives ? .sendrecv : .sendonly) : (receives ? .recvonly : .inactive)
    }

    package var sends: Bool { self == .sendrecv || self == .sendonly }
    package var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same flow seen from the other side.
    package var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// What both allow.
    package func intersection(_ other: MediaDirection) -> MediaDirection {
        MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
    }
}
