/// Records rooms. The server itself decodes nothing and writes no file: whoever starts it hands in somebody who does.
package protocol RoomArchiver: Sendable {
    /// Begins to record a room; `report` is told, on any thread and in order, what becomes of it.
    func start(_ order: ArchiveOrder, report: @escaping @Sendable (ArchiveProgress) -> Void)
    /// Ends a recording that was begun; its last report follows.
    func stop(_ archive: String)
    /// Deletes what was recorded; of one whose file is being finished, as soon as it is.
    func delete(_ archive: String, of project: String)
    func change(_ archive: String, _ change: ArchiveChange)
    /// Archives of before this server began, from the oldest on, the newest `limit` of them.
    func earlierArchives(limit: Int) -> [EarlierArchive]
    /// Path of the one file that holds all of an archive; nil where it is not on this machine.
    func file(of archive: String, project: String) -> String?
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
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// What tells archives of one room apart that run at the same time.
    package var tag: String?
    package var hasAudio: Bool
    package var hasVideo: Bool
    package var output: Output
    /// Streams come into the archive by themselves; else `ArchiveChange.add` names them.
    package var takesAllStreams: Bool
    /// Bits per second.
    package var maxBitrate: Int?

    package init(
        id: String, name: String? = nil, server: String = "", project: String, room: String, token: String = "",
        createdAt: Int64, tag: String? = nil, hasAudio: Bool = true, hasVideo: Bool = true, output: Output,
        takesAllStreams: Bool = true, maxBitrate: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.server = server
        self.project = project
        self.room = room
        self.token = token
        self.createdAt = createdAt
        self.tag = tag
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.output = output
        self.takesAllStreams = takesAllStreams
        self.maxBitrate = maxBitrate
    }
}

/// How a composed picture is arranged.
package struct ArchiveArrangement: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case bestFit, horizontalPresentation, verticalPresentation, pictureInPicture
    }

    package var kind: Kind
    /// While a screen is shared; nil for no difference.
    package var whileSharing: Kind?

    package static let bestFit = ArchiveArrangement(.bestFit)

    package init(_ kind: Kind, whileSharing: Kind? = nil) {
        self.kind = kind
        self.whileSharing = whileSharing
    }
}

package enum ArchiveChange: Sendable, Hashable {
    case add(stream: String, hasAudio: Bool, hasVideo: Bool)
    case remove(stream: String)
    case arrange(ArchiveArrangement)
    /// Of a stream that is recorded: `focus` and the like.
    case layoutClasses(stream: String, [String])
}

/// An archive that was recorded before the server began, as it has ended. Its order lets nobody in any more.
package struct EarlierArchive: Sendable, Hashable {
    package var order: ArchiveOrder
    package var progress: ArchiveProgress

    package init(_ order: ArchiveOrder, _ progress: ArchiveProgress) {
        self.order = order
        self.progress = progress
    }
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
    /// Of one that is kept elsewhere; the server gives links to those that are here.
    package var url: String?

    var isRunning: Bool { state == .recording || state == .paused }

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
