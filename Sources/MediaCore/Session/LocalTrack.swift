import Synchronization

/// Something that we send: a source of sound or pictures, and how it is encoded.
public final class LocalTrack: Sendable {
    /// Where the media comes from.
    public enum Media: Sendable {
        /// Samples, encoded with Opus.
        case audio(any AudioSource, AudioEncoding)
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
    private let muted = Atomic<Bool>(false)

    /// - Parameters:
    ///   - id: the signalled id; nil draws a random one.
    ///   - name: shown to people.
    public init(_ media: Media, id: String? = nil, name: String = "") {
        self.media = media
        self.id = id ?? LocalTrack.randomID()
        self.name = name
    }

    /// Audio or video.
    public var kind: MediaKind {
        switch media {
        case .audio: .audio
        case .video, .encodedVideo: .video
        }
    }

    /// While muted the source is read on, so that its time goes by, but nothing is sent.
    public var isMuted: Bool {
        get { muted.load(ordering: .relaxed) }
        set { muted.store(newValue, ordering: .relaxed) }
    }

    private static func randomID() -> String {
        let alphabet = Array("0123456789abcdef")
        let groups = [8, 4, 4, 4, 12]
        return groups.map { count in String((0..<count).map { _ in alphabet.randomElement() ?? "0" }) }
            .joined(separator: "-")
    }
}

/// How sound is encoded with Opus.
public struct AudioEncoding: Sendable, Hashable {
    /// Bits per second, 6,000...510,000.
    public var bitrate = 32_000
    /// 0 (cheapest) ... 10 (best).
    public var complexity = 5
    /// Whether packets carry a coarse copy of the frame before them.
    public var inbandFEC = true
    /// Whether silence is sent as next to nothing.
    public var dtx = false

    /// 32 kbit/s, complexity 5, with FEC and without DTX.
    public init() {}
}

/// How pictures are encoded with VP8.
public struct VideoEncoding: Sendable, Hashable {
    /// Bits per second, 10,000...50,000,000.
    public var bitrate: Int
    /// libvpx's speed setting.
    public var cpuUsed = -6

    /// - Parameter bitrate: bits per second.
    public init(bitrate: Int = 600_000) { self.bitrate = bitrate }
}
