/// How media travels in a session.
package enum MediaMode: String, Hashable, Sendable, CaseIterable {
    /// Between clients, with TURN where they can't reach each other.
    case relayed = "enabled"
    /// Through the media router.
    case routed = "disabled"

    /// The words of `p2p.preference`, in form and session information.
    package var peerToPeerPreference: String { rawValue }

    /// What a session id begins with.
    var prefix: Character { self == .relayed ? "1" : "2" }

    /// What stands for it inside a session id.
    var letter: String { self == .relayed ? "P" : "M" }
}

/// Whether a session is archived without being asked.
package enum ArchiveMode: String, Hashable, Sendable, CaseIterable {
    case manual, always
}
