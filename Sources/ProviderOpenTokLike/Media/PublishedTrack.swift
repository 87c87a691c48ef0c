import CallBridge
import MediaCore
import OpenTokSignalling
import Synchronization

/// A track of ours, for the connections that carry it: the router's, or one for each subscriber of a relayed session, whose
/// copies share the source.
final class PublishedTrack: Sendable {
    /// As the application has made it.
    let track: LocalTrack
    private let make: @Sendable () -> PublishedCopy
    private let copies = Mutex<[PublishedCopy]>([])

    /// For a router.
    ///
    /// - Parameter isLayered: the session takes video in several sizes.
    init(routed track: LocalTrack, isLayered: Bool) {
        self.track = track
        guard !isLayered, case .video(let source, let encoding) = track.media, !encoding.layers.isEmpty else {
            make = { PublishedCopy(track) }
            return
        }
        var single = encoding
        single.bitrate = encoding.layers.map(\.bitrate).max() ?? encoding.bitrate
        single.layers = []
        make = { [single] in PublishedCopy(track.copy(.video(source, single))) }
    }

    /// For subscribers, each of which it is encoded for. Throws `CallError` for media that can't be shared.
    init(relayed track: LocalTrack) throws(CallError) {
        self.track = track
        let shared = try SharedTrack(track)
        make = { PublishedCopy(wished: shared.copy()) }
    }

    /// For one more connection, muted as the published one is.
    func copy() -> PublishedCopy {
        let copy = make()
        copies.withLock {
            copy.isMuted = track.isMuted
            if copy.track !== track { $0.append(copy) }
        }
        return copy
    }

    /// That connection is gone.
    func release(_ copy: PublishedCopy) { copies.withLock { $0.removeAll { $0 === copy } } }

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

/// A track of ours on one connection, as its other end wants it.
final class PublishedCopy: Sendable {
    private struct State {
        var isMuted = false
        var wish = RaptorSubscriberPreferences()
    }

    let track: LocalTrack
    private let pictures: WishedPictures?
    private let state = Mutex(State())

    /// The other end, a router, takes it as it is.
    init(_ track: LocalTrack) {
        self.track = track
        pictures = nil
    }

    /// The other end is a subscriber.
    init(wished track: LocalTrack) {
        guard case .video(let source, let encoding) = track.media else {
            self.track = track
            pictures = nil
            return
        }
        let pictures = WishedPictures(source)
        self.track = track.copy(.video(pictures, encoding))
        self.pictures = pictures
    }

    /// By its publisher.
    var isMuted: Bool {
        get { state.withLock { $0.isMuted } }
        set { change { $0.isMuted = newValue } }
    }

    /// What is not wanted is not sent.
    func follow(_ wish: RaptorSubscriberPreferences) {
        change { $0.wish.merge(wish) }
        pictures?.follow(state.withLock { $0.wish })
    }

    /// The share of the encoding's bitrate that the wanted size is worth; nil for all of it.
    var bitrate: Int? {
        guard case .video(let source, let encoding) = track.media else { return nil }
        let (width, height) = state.withLock { $0.wish.size(covering: source.width, source.height) }
        guard width < source.width else { return nil }
        return max(30_000, encoding.bitrate * (width * height) / max(1, source.width * source.height))
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock {
            body(&$0)
            track.isMuted = $0.isMuted || $0.wish.isActive == false
        }
    }
}
