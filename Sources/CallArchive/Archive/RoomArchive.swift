/// An archive as the one who asked for it sees it.
package struct RoomArchive: Sendable, Hashable, Codable {
    /// Where it stands.
    package enum State: String, Sendable, Hashable, Codable {
        /// It is being recorded.
        case started
        /// It goes on as soon as somebody publishes.
        case paused
        /// It has ended, and its file is being made.
        case stopped
        /// Its files can be fetched.
        case available
        /// Something could not be written, see `reason`; what was written is kept.
        case failed
        /// Its files were kept for as long as they are, and are gone.
        case expired
        /// Its files were deleted.
        case deleted
    }

    /// One file for all streams, or one for each.
    package enum OutputMode: String, Sendable, Hashable, Codable { case composed, individual }

    /// Whether streams come into it by themselves.
    package enum StreamMode: String, Sendable, Hashable, Codable { case auto, manual }

    package var id: String
    package var name: String
    /// The room.
    package var session: String
    package var state = State.started
    package var outputMode: OutputMode
    package var streamMode: StreamMode
    package var hasAudio: Bool
    package var hasVideo: Bool
    /// Of a composed picture.
    package var width: Int, height: Int
    package var layout: ArchiveLayout
    /// While a screen is shared, and `layout` is `bestFit`; nil for no difference.
    package var screenLayout: ArchiveLayout?
    /// Of a composed archive, sound and pictures together, bits per second; nil for what is usual.
    package var maxBitrate: Int?
    /// Whose it is, where a server records for several: its archives have a folder by that name.
    package var project: String?
    /// What tells archives of one room apart that are made at the same time.
    package var tag: String?
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Bytes of all files, and seconds.
    package var size = 0
    package var duration = 0.0
    /// Why it has ended: `user initiated`, `session ended`, `maximum duration exceeded`, or what has failed.
    package var reason = ""
    /// All of its files are closed.
    package var isComplete = false
    /// Streams that are in it now.
    package var streams: [String] = []

    package init(
        id: String, name: String = "", session: String, outputMode: OutputMode = .composed,
        streamMode: StreamMode = .auto, hasAudio: Bool = true, hasVideo: Bool = true, width: Int = 640,
        height: Int = 480, layout: ArchiveLayout = .bestFit, createdAt: Int64
    ) {
        self.id = id
        self.name = name
        self.session = session
        self.outputMode = outputMode
        self.streamMode = streamMode
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.width = width
        self.height = height
        self.layout = layout
        self.createdAt = createdAt
    }

    /// It may still take streams.
    package var isRunning: Bool { state == .started || state == .paused }

    /// The one file that holds all of it, where it is kept in one.
    package var filename: String { outputMode == .composed ? "archive.webm" : "archive.zip" }
}
