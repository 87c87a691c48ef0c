/// Records rooms. The server itself decodes nothing and writes no file: whoever starts it hands in somebody who does.
package protocol RoomArchiver: Sendable {
    /// Begins to record a room; `report` is told, on any thread and in order, what becomes of it.
    func start(_ order: ArchiveOrder, report: @escaping @Sendable (ArchiveProgress) -> Void)
    /// Ends a recording that was begun; its last report follows.
    func stop(_ archive: String)
    /// Deletes what was recorded.
    func delete(_ archive: String)
    func change(_ archive: String, _ change: ArchiveChange)
}

/// What is to be recorded, in no dialect's words.
package struct ArchiveOrder: Sendable, Hashable {
    package enum Output: Sendable, Hashable {
        /// One file of all streams in a picture of that size.
        case composed(width: Int, height: Int, ArchiveArrangement)
        /// A file for each stream.
        case individual
    }

    package var id: String
    package var name: String?
    /// The server, as clients reach it: `http://host:port`.
    package var server: String
    /// API key and session id of the room.
    package var project: String
    package var room: String
    /// Lets the recorder in, as one who only subscribes and of whom nobody hears.
    package var token: String
    package var hasAudio: Bool
    package var hasVideo: Bool
    package var output: Output
    /// Streams come into the archive by themselves; else `ArchiveChange.add` names them.
    package var takesAllStreams: Bool
    /// Bits per second.
    package var maxBitrate: Int?
}

/// How a composed picture is arranged.
package enum ArchiveArrangement: Sendable, Hashable {
    case bestFit, horizontalPresentation, verticalPresentation, pictureInPicture
    /// Style sheet.
    case custom(String)
}

package enum ArchiveChange: Sendable, Hashable {
    case add(stream: String, hasAudio: Bool, hasVideo: Bool)
    case remove(stream: String)
    case arrange(ArchiveArrangement)
    /// Of a stream that is recorded: `focus` and the like.
    case layoutClasses(stream: String, [String])
}

/// What has become of an archive.
package struct ArchiveProgress: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case recording
        /// Nobody publishes; it goes on with the next stream.
        case paused
        /// It has ended; its file is being finished.
        case stopped
        /// It can be fetched.
        case available
        case failed
    }

    package var state: State
    /// Bytes, and seconds, so far.
    package var size: Int64
    package var duration: Double
    /// Why it has stopped or failed.
    package var reason: String
    package var url: String?

    package init(
        _ state: State, size: Int64 = 0, duration: Double = 0, reason: String = "", url: String? = nil
    ) {
        self.state = state
        self.size = size
        self.duration = duration
        self.reason = reason
        self.url = url
    }
}
