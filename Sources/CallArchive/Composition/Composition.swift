import MediaCore

/// What a composed archive is made of: recordings of single streams, each with its place in time, and how their pictures
/// were to be arranged from when on.
package struct Composition: Sendable {
    /// The recording of one stream.
    package struct Part: Sendable, Hashable {
        package var path: String
        /// Who is seen and heard; parts of one stream follow each other.
        package var stream: String
        /// Where the file begins and where the stream ended, from the archive's beginning.
        package var begins: Int64, ends: Int64
        package var isScreen = false

        package init(path: String, stream: String, begins: Int64, ends: Int64, isScreen: Bool = false) {
            self.path = path
            self.stream = stream
            self.begins = begins
            self.ends = ends
            self.isScreen = isScreen
        }
    }

    /// What changes while it goes on.
    package enum Change: Sendable, Hashable {
        /// - Parameter screen: while a screen is shared and the layout is `bestFit`.
        case layout(ArchiveLayout, screen: ArchiveLayout? = nil)
        case classes(stream: String, Set<String>)
    }

    package var parts: [Part]
    /// In the order of their times, milliseconds.
    package var changes: [(time: Int64, change: Change)] = []
    /// Of the picture, even.
    package var width = 640, height = 480
    package var milliseconds: Int64
    package var kinds = Set(MediaKind.allCases)
    /// Of sound and pictures together, bits per second.
    package var bitrate = 1_000_000

    package init(parts: [Part], milliseconds: Int64) {
        self.parts = parts
        self.milliseconds = milliseconds
    }
}
