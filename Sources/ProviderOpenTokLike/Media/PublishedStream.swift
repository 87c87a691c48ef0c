import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// A stream of ours: its tracks by channel, which all connections that carry it send in step.
struct PublishedStream: Sendable {
    let stream: RaptorStream
    /// As the stream's channels are.
    private let tracks: [PublishedTrack]

    /// Throws `CallError` for media that can't be shared, in a relayed session.
    ///
    /// - Parameter group: what it carries, one of a kind.
    init(_ group: [LocalMediaItem], id: String, settings: ClientSettings) throws(CallError) {
        stream = RaptorStream(group, id: id)
        var tracks: [PublishedTrack] = []
        for item in group {
            tracks.append(
                settings.isRelayed
                    ? try PublishedTrack(relayed: item.track)
                    : PublishedTrack(routed: item.track, isLayered: settings.info.hasSimulcast ?? true))
        }
        self.tracks = tracks
    }

    /// For one more connection.
    func copies() -> [SentChannel] {
        zip(stream.channels, tracks).map { SentChannel(id: $0.id, track: $1, copy: $1.copy()) }
    }

    subscript(channel: String) -> PublishedTrack? {
        zip(stream.channels, tracks).first { $0.0.id == channel }?.1
    }
}

/// A channel of ours on one connection.
struct SentChannel: Sendable {
    let id: String
    let track: PublishedTrack
    let copy: PublishedCopy
    /// Once the connection sends it.
    var sender: MediaSession.Sender?

    init(id: String, track: PublishedTrack, copy: PublishedCopy) {
        self.id = id
        self.track = track
        self.copy = copy
    }

    /// The connection is gone.
    func release() { track.release(copy) }
}
