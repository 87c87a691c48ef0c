import CallBridge
import MediaCore
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
