import RTCWire

/// Who opens the connection of a TCP candidate, RFC 6544 section 4.1. Simultaneous opens are not spoken.
package enum TCPCandidateType: UInt8, Sendable, Hashable {
    /// We open a connection to a passive candidate; the port that is told means nothing.
    case active
    /// We listen.
    case passive

    /// The word of the candidate line, section 4.5.
    package var name: String { self == .active ? "active" : "passive" }

    /// Section 4.2, of host candidates: whoever opens gets past more firewalls.
    var directionPreference: UInt8 { self == .active ? 6 : 4 }

    /// The port that an active candidate tells: "discard", section 4.5.
    package static let activePort: UInt16 = 9
}
