/// Where a track comes from.
package enum TrackSource: UInt8, Sendable, Hashable {
    case unknown, camera, microphone, screenShare, screenShareAudio
}

/// What a participant may do.
package struct Permissions: Sendable, Hashable {
    package var canPublish = true
    package var canSubscribe = true
    package var canPublishData = true
    package var canUpdateMetadata = false
    /// Others are not told of this participant.
    package var isHidden = false
    /// Records the room: the others are told that it is recorded.
    package var isRecorder = false
    /// Serves others: may speak in their names.
    package var isAgent = false
    package var canSubscribeMetrics = false
    package var canManageAgentSession = false
    /// When not empty, only these sources may be published.
    package var sources: Set<TrackSource> = []

    package init() {}

    package func mayPublish(_ source: TrackSource) -> Bool {
        canPublish && (sources.isEmpty || sources.contains(source))
    }
}

/// Who may subscribe to a participant's tracks, as that participant says.
package struct SubscriptionRule: Sendable, Hashable {
    /// One subscriber's share.
    package struct Entry: Sendable, Hashable {
        package var allTracks: Bool
        package var tracks: Set<String>

        package init(allTracks: Bool, tracks: Set<String>) {
            self.allTracks = allTracks
            self.tracks = tracks
        }
    }

    package var everybody: Bool
    /// By identity; looked at where not everybody may.
    package var entries: [String: Entry]

    package init(everybody: Bool = true, entries: [String: Entry] = [:]) {
        self.everybody = everybody
        self.entries = entries
    }

    package func allows(_ identity: String, track: String) -> Bool {
        guard !everybody else { return true }
        guard let entry = entries[identity] else { return false }
        return entry.allTracks || entry.tracks.contains(track)
    }
}
