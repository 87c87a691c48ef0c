import LiveKitProtocol
import RoomModel

/// The tracks of a room as LiveKit's words have them: those that clients have announced, and those that are published. A
/// value.
struct LiveKitTracks {
    /// By participant, in the order of the announcements.
    private var announcedTracks: [String: [LiveKitTrack]] = [:]
    /// By sid.
    private var publishedTracks: [String: LiveKitTrack] = [:]

    /// What somebody has announced and not yet begun to send.
    func announced(by participant: String) -> [LiveKitTrack] { announcedTracks[participant] ?? [] }

    /// A published track; nil for those that clients of other dialects publish.
    subscript(_ sid: String) -> LiveKitTrack? { publishedTracks[sid] }

    mutating func announce(_ track: LiveKitTrack) { announcedTracks[track.publisher, default: []].append(track) }

    /// Changes an announced track; false where there is none.
    mutating func changeAnnounced(
        _ sid: String, by participant: String, _ change: (inout LiveKitTrack) -> Void
    ) -> Bool {
        guard let index = announced(by: participant).firstIndex(where: { $0.sid == sid }) else { return false }
        announcedTracks[participant]?[index].apply(change)
        return true
    }

    /// Puts a track's newest description among the published ones; it isn't merely announced any more.
    mutating func publish(_ track: LiveKitTrack) {
        announcedTracks[track.publisher]?.removeAll { $0.sid == track.sid }
        publishedTracks[track.sid] = track
    }

    /// Changes a published track of somebody's; nil where there is none.
    mutating func changePublished(
        _ sid: String, by participant: String, _ change: (inout LiveKitTrack) -> Void
    ) -> (before: LiveKitTrack, after: LiveKitTrack)? {
        guard let before = publishedTracks[sid], before.publisher == participant else { return nil }
        var after = before
        change(&after)
        publishedTracks[sid] = after
        return (before, after)
    }

    mutating func unpublish(_ sid: String) { publishedTracks[sid] = nil }

    /// Takes out the announced tracks that somebody may not publish.
    mutating func dropAnnounced(by participant: String, notAllowedBy permissions: Permissions) -> [LiveKitTrack] {
        let dropped = announced(by: participant).filter { !permissions.mayPublish(TrackSource($0.info.source)) }
        announcedTracks[participant]?.removeAll { track in dropped.contains { $0.sid == track.sid } }
        return dropped
    }

    mutating func remove(participant: String, tracks: [PublishedTrack]) {
        announcedTracks[participant] = nil
        for track in tracks { publishedTracks[track.id] = nil }
    }

    // MARK: As messages have them

    /// A track that is published, in whatever dialect.
    func info(of track: PublishedTrack) -> Livekit_TrackInfo {
        var info = publishedTracks[track.id]?.info ?? Livekit_TrackInfo(track)
        info.muted = track.isMuted
        return info
    }
}

extension LiveKitTrack {
    fileprivate mutating func apply(_ change: (inout LiveKitTrack) -> Void) { change(&self) }
}

extension Livekit_TrackInfo {
    /// A track that nobody has announced in LiveKit's words.
    init(_ track: PublishedTrack) {
        self.init()
        sid = track.id
        type = track.kind == .video ? .video : .audio
        source = track.source.wire
        name = track.name
        muted = track.isMuted
        stream = track.media.group
        encryption = track.media.isEncrypted ? .custom : .none
        mimeType = (track.kind == .video ? "video/" : "audio/") + track.media.codec
        width = UInt32(clamping: track.media.layers.last?.width ?? 0)
        height = UInt32(clamping: track.media.layers.last?.height ?? 0)
        layers = track.media.layers.enumerated().map { rank, size in
            .with {
                $0.quality = [.low, .medium, .high][min(rank, TrackPreference.largestLayer)]
                $0.width = UInt32(clamping: size.width)
                $0.height = UInt32(clamping: size.height)
                $0.spatialLayer = Int32(clamping: rank)
            }
        }
        simulcast = layers.count > 1
        codecs = [.with { $0.mimeType = mimeType }]
    }
}
