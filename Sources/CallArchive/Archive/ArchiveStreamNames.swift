import CallBridge

/// What counts as one stream of an archive.
package enum ArchiveStreamNames: Sendable {
    /// What somebody shows of themselves is one stream, by their identity; a shared screen is another.
    case participants
    /// Tracks say it themselves: `STREAM/CHANNEL`.
    case streams

    func name(_ track: Track, _ participant: Participant) -> String {
        switch self {
        case .participants: participant.identity + (track.isScreen ? "-screen" : "")
        case .streams: String(track.id.prefix { $0 != "/" })
        }
    }
}

extension Track {
    var isScreen: Bool { source == .screenShare || source == .screenShareAudio }
}
