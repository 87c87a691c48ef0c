import CallBridge
import LiveKitProtocol
import MediaCore

/// Tracks of ours that the server has ended. Those that it no longer allowed are published again when it does. A value.
struct WithdrawnPublications {
    private struct Entry {
        var publication: Publication
        /// Its source was forbidden at that time, or since.
        var wasForbidden: Bool
    }

    private var entries: [Entry] = []

    /// The server has ended a track; what it allows at that moment may be told later.
    mutating func add(_ publication: Publication, allowed permission: Livekit_ParticipantPermission?) {
        _ = remove(trackID: publication.track.id)
        let isForbidden = permission.map { !$0.allows(publication.source) } ?? false
        entries.append(Entry(publication: publication, wasForbidden: isForbidden))
    }

    /// We may publish other things than before: gives the tracks that are to be published again.
    mutating func allow(_ permission: Livekit_ParticipantPermission) -> [Publication] {
        var again: [Publication] = []
        for index in entries.indices where !permission.allows(entries[index].publication.source) {
            entries[index].wasForbidden = true
        }
        entries.removeAll { entry in
            guard entry.wasForbidden, permission.allows(entry.publication.source) else { return false }
            again.append(entry.publication)
            return true
        }
        return again
    }

    /// The media of a track, by the bridge's id.
    func media(of trackID: String) -> LocalTrack? {
        entries.first { $0.publication.track.id == trackID }?.publication.media
    }

    /// Forgets a track, by the bridge's id; false where it is not here.
    mutating func remove(trackID: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.publication.track.id == trackID }
        return entries.count < count
    }

    /// Forgets the track that sends `media`.
    mutating func remove(media: LocalTrack) { entries.removeAll { $0.publication.media === media } }
}

extension Livekit_ParticipantPermission {
    /// Whether tracks of that source may be published.
    func allows(_ source: Track.Source) -> Bool {
        canPublish && (canPublishSources.isEmpty || canPublishSources.contains(source.wire))
    }
}
