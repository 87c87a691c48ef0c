import MediaCore

/// Somebody in the call, as last known.
public struct Participant: Sendable, Hashable, Identifiable {
    /// The provider's id of this visit; a person who comes back has another.
    public var id: String
    /// Who it is, the same on every visit.
    public var identity: String
    /// A name for people; the identity where none was given.
    public var name: String
    /// Free text that the application attached.
    public var metadata: String
    /// Key and value pairs that the application attached.
    public var attributes: [String: String]
    /// Whether this is ourselves.
    public var isLocal: Bool
    /// What they publish.
    public var tracks: [Track]

    /// A participant from its parts.
    public init(
        id: String, identity: String, name: String = "", metadata: String = "", attributes: [String: String] = [:],
        isLocal: Bool = false, tracks: [Track] = []
    ) {
        self.id = id
        self.identity = identity
        self.name = name.isEmpty ? identity : name
        self.metadata = metadata
        self.attributes = attributes
        self.isLocal = isLocal
        self.tracks = tracks
    }
}

/// Something that a participant publishes, as last known.
public struct Track: Sendable, Hashable, Identifiable {
    /// What a track shows or sounds.
    public enum Source: String, Sendable, Hashable {
        /// Not said.
        case unknown
        /// A camera.
        case camera
        /// A microphone.
        case microphone
        /// A shared screen.
        case screenShare
        /// The sound of a shared screen.
        case screenShareAudio
    }

    /// The provider's id of the track.
    public var id: String
    /// Audio or video.
    public var kind: MediaKind
    /// A name for people.
    public var name: String
    /// What it shows or sounds.
    public var source: Source
    /// Whether its publisher has muted it.
    public var isMuted: Bool
    /// Width and height as announced; 0 where not said.
    public var width: Int
    /// Height as announced.
    public var height: Int
    /// The codec that its publisher announced, as in `video/VP8` without the kind; empty where not said.
    public var codec: String

    /// A track from its parts.
    public init(
        id: String, kind: MediaKind, name: String = "", source: Source = .unknown, isMuted: Bool = false,
        width: Int = 0, height: Int = 0, codec: String = ""
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.source = source
        self.isMuted = isMuted
        self.width = width
        self.height = height
        self.codec = codec
    }
}
