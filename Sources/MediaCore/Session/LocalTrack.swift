import Synchronization

/// Something that we send: a source of sound or pictures, and how it is encoded.
public final class LocalTrack: Sendable {
    /// Where the media comes from.
    public enum Media: Sendable {
        /// Samples, encoded with Opus.
        case audio(any AudioSource, AudioEncoding)
        /// Sound that is encoded already.
        case encodedAudio(any EncodedAudioSource)
        /// Pictures, encoded with VP8.
        case video(any VideoSource, VideoEncoding)
        /// Pictures that are encoded already.
        case encodedVideo(any EncodedVideoSource)
    }

    /// Identifies the track in signalling; unique per track.
    public let id: String
    /// A name for people.
    public let name: String
    /// Source and encoding.
    public let media: Media
    /// Of frames that are encoded here.
    let marker: (any EncodedFrameMarker)?
    private let muted = Atomic<Bool>(false)
    private let screen = Atomic<Bool>(false)

    /// - Parameters:
    ///   - id: the signalled id; nil draws a random one.
    ///   - name: shown to people.
    public init(_ media: Media, id: String? = nil, name: String = "") {
        self.media = media
        self.id = id ?? LocalTrack.randomID()
        self.name = name
        marker = nil
    }

    /// - Parameter marker: marks each frame that is encoded here, behind its encoder.
    package init(_ media: Media, name: String, marker: any EncodedFrameMarker) {
        self.media = media
        self.name = name
        self.marker = marker
        id = LocalTrack.randomID()
    }

    /// The same track with other media: for one of several connections that carry it.
    package func copy(_ media: Media) -> LocalTrack {
        let copy = LocalTrack(media, id: id, name: name)
        copy.isScreen = isScreen
        return copy
    }

    /// Audio or video.
    public var kind: MediaKind {
        switch media {
        case .audio, .encodedAudio: .audio
        case .video, .encodedVideo: .video
        }
    }

    /// While muted the source is read on, so that its time goes by, but nothing is sent.
    public var isMuted: Bool {
        get { muted.load(ordering: .relaxed) }
        set { muted.store(newValue, ordering: .relaxed) }
    }

    /// Pictures of a screen, as it was published: they keep their size where the path is narrow.
    package var isScreen: Bool {
        get { screen.load(ordering: .relaxed) }
        set { screen.store(newValue, ordering: .relaxed) }
    }

    private static func randomID() -> String {
        let alphabet = Array("0123456789abcdef")
        let groups = [8, 4, 4, 4, 12]
        return groups.map { count in String((0..<count).map { _ in alphabet.randomElement() ?? "0" }) }
            .joined(separator: "-")
    }
}
