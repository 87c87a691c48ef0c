/// What is said of a stream before its content.
public struct DataStreamInfo: Sendable, Hashable {
    /// What the content is.
    public enum Content: Sendable, Hashable {
        /// UTF-8 text.
        case text
        /// Bytes, with the name of the file they come from, or none.
        case bytes(name: String)
    }

    /// The sender's id of the stream; empty lets the provider choose one.
    public var id: String
    /// What the application calls streams of this kind; may be empty.
    public var topic: String
    /// What the content is.
    public var content: Content
    /// "text/plain", "application/octet-stream" or something better.
    public var mimeType: String
    /// All bytes of the content, where known beforehand.
    public var totalLength: UInt64?
    /// Key and value pairs.
    public var attributes: [String: String]

    /// The facts from their parts.
    public init(
        id: String = "", topic: String, content: Content, mimeType: String? = nil, totalLength: UInt64? = nil,
        attributes: [String: String] = [:]
    ) {
        self.id = id
        self.topic = topic
        self.content = content
        self.mimeType = mimeType ?? (content == .text ? "text/plain" : "application/octet-stream")
        self.totalLength = totalLength
        self.attributes = attributes
    }
}

/// Why a stream ended before its content was complete.
public struct DataStreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    public let description: String
    /// An error with its sentence.
    public init(_ description: String) { self.description = description }
}

/// A stream that somebody sends us. Read it once: by iterating `chunks`, or whole.
public final class IncomingDataStream: Sendable {
    /// How many chunks may wait for a reader; beyond that the stream fails.
    public static let waitingChunks = 2_048

    /// What was said of it beforehand.
    public let info: DataStreamInfo
    /// The content in pieces as they come; throws `DataStreamError`.
    public let chunks: AsyncThrowingStream<[UInt8], any Error>
    private let feed: AsyncThrowingStream<[UInt8], any Error>.Continuation

    /// For providers: a stream that they feed.
    public init(_ info: DataStreamInfo) {
        self.info = info
        (chunks, feed) = AsyncThrowingStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.waitingChunks))
    }

    /// For providers: the next piece.
    public func append(_ bytes: [UInt8]) {
        if case .dropped = feed.yield(bytes) {
            feed.finish(throwing: DataStreamError("stream \(info.id): nobody has read it while it grew"))
        }
    }

    /// For providers: the content is complete, or ended with an error.
    public func finish(_ error: DataStreamError? = nil) {
        if let error { feed.finish(throwing: error) } else { feed.finish() }
    }

    /// The whole content. Throws `DataStreamError`.
    public func readAll() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks { bytes += chunk }
        return bytes
    }
}

/// A stream that we send. `close` it, or its readers wait for the rest.
public struct OutgoingDataStream: Sendable {
    /// What was said of it beforehand, with the id that it got.
    public let info: DataStreamInfo
    private let writing: @Sendable ([UInt8]) async throws -> Void
    private let closing: @Sendable (String) async throws -> Void

    /// For providers: a stream whose content and end go to these.
    public init(
        _ info: DataStreamInfo, write: @escaping @Sendable ([UInt8]) async throws -> Void,
        close: @escaping @Sendable (String) async throws -> Void
    ) {
        self.info = info
        writing = write
        closing = close
    }

    /// Sends more of the content and returns when there is room for yet more. Throws `CallError`.
    public func write(_ bytes: [UInt8]) async throws { try await writing(bytes) }

    /// Sends more of a text and returns when there is room for yet more. Throws `CallError`.
    public func write(_ text: String) async throws { try await writing(Array(text.utf8)) }

    /// Ends the stream; with a reason its readers see an error. Throws `CallError`.
    public func close(reason: String = "") async throws { try await closing(reason) }
}
