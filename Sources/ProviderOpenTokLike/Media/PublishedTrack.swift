import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import Synchronization

/// A track of ours, for the connections that carry it: the router's, or one for each subscriber of a relayed session, whose
/// copies share the source.
final class PublishedTrack: Sendable {
    /// As the application has made it.
    let track: LocalTrack
    private let make: @Sendable () -> LocalTrack
    private let copies = Mutex<[LocalTrack]>([])

    /// For a router.
    ///
    /// - Parameter isLayered: the session takes video in several sizes.
    init(routed track: LocalTrack, isLayered: Bool) {
        self.track = track
        guard !isLayered, case .video(let source, let encoding) = track.media, !encoding.layers.isEmpty else {
            make = { track }
            return
        }
        let bitrate = encoding.layers.map(\.bitrate).max() ?? encoding.bitrate
        make = { LocalTrack(.video(source, VideoEncoding(bitrate: bitrate)), id: track.id, name: track.name) }
    }

    /// For subscribers, each of which it is encoded for. Throws `CallError` for media that can't be shared.
    init(relayed track: LocalTrack) throws(CallError) {
        self.track = track
        let shared = try SharedTrack(track)
        make = { shared.copy() }
    }

    /// For one more connection, muted as the published one is.
    func copy() -> LocalTrack {
        let copy = make()
        copies.withLock {
            copy.isMuted = track.isMuted
            if copy !== track { $0.append(copy) }
        }
        return copy
    }

    /// That connection is gone.
    func release(_ copy: LocalTrack) { copies.withLock { $0.removeAll { $0 === copy } } }

    var isMuted: Bool {
        get { track.isMuted }
        set {
            copies.withLock {
                track.isMuted = newValue
                for copy in $0 { copy.isMuted = newValue }
            }
        }
    }
}

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
    func copies() -> [(PublishedTrack, LocalTrack)] { tracks.map { ($0, $0.copy()) } }

    subscript(channel: String) -> PublishedTrack? {
        zip(stream.channels, tracks).first { $0.0.id == channel }?.1
    }
}
