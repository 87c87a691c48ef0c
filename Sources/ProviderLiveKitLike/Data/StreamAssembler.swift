import CallBridge
import LiveKitProtocol

/// Puts the streams that others send together again. A value; its streams are shared with their readers.
struct StreamAssembler {
    /// What the present packet brings about.
    enum Outcome {
        case none
        /// A stream begins; `text` where it was complete at once.
        case opened(IncomingDataStream, text: TextMessage?)
        /// A text is complete.
        case text(TextMessage)
    }

    /// How many streams may be open at once over all senders.
    static let openStreams = 64
    /// How long a text may be to be told as a whole, and what inline content may expand to, in bytes.
    static let longestText = 16 * 1024 * 1024

    private struct Open {
        var stream: IncomingDataStream
        var sender: String
        var nextChunk: UInt64 = 0
        var byteCount: UInt64 = 0
        /// Nil for bytes, and for a text that is too long.
        var text: [UInt8]?
    }

    private var open: [String: Open] = [:]

    init() {}

    private static func key(_ id: String, _ sender: String) -> String { sender + "\n" + id }

    mutating func take(_ header: Livekit_DataStream.Header, from sender: String) -> Outcome {
        let info = DataStreamInfo(header)
        let stream = IncomingDataStream(info)
        if header.hasInlineContent {
            guard let bytes = Self.inlineContent(of: header) else {
                stream.finish(DataStreamError("stream \(info.id): its compressed content can't be read"))
                return .opened(stream, text: nil)
            }
            stream.append(bytes)
            stream.finish()
            return .opened(stream, text: info.content == .text ? Self.message(bytes, info) : nil)
        }
        let key = Self.key(header.streamID, sender)
        guard open[key] == nil, open.count < Self.openStreams else { return .none }
        open[key] = Open(stream: stream, sender: sender, text: info.content == .text ? [] : nil)
        return .opened(stream, text: nil)
    }

    mutating func take(_ chunk: Livekit_DataStream.Chunk, from sender: String) {
        let key = Self.key(chunk.streamID, sender)
        guard var entry = open[key] else { return }
        // A repeated chunk is harmless; a missing one is not.
        guard chunk.chunkIndex >= entry.nextChunk else { return }
        guard chunk.chunkIndex == entry.nextChunk else {
            return fail(key, "chunk \(entry.nextChunk) is missing")
        }
        entry.nextChunk &+= 1
        entry.byteCount &+= UInt64(chunk.content.count)
        if let total = entry.stream.info.totalLength, entry.byteCount > total {
            return fail(key, "it is longer than the \(total) bytes that were announced")
        }
        let content = Array(chunk.content)
        if let text = entry.text { entry.text = text.count + content.count > Self.longestText ? nil : text + content }
        entry.stream.append(content)
        open[key] = entry
    }

    mutating func take(_ trailer: Livekit_DataStream.Trailer, from sender: String) -> Outcome {
        let key = Self.key(trailer.streamID, sender)
        guard let entry = open[key] else { return .none }
        guard trailer.reason.isEmpty else {
            fail(key, "its sender ended it: \(trailer.reason)")
            return .none
        }
        if let total = entry.stream.info.totalLength, entry.byteCount != total {
            fail(key, "\(entry.byteCount) of \(total) bytes came")
            return .none
        }
        open[key] = nil
        entry.stream.finish()
        guard let bytes = entry.text else { return .none }
        var info = entry.stream.info
        info.attributes.merge(trailer.attributes) { $1 }
        return Self.message(bytes, info).map { .text($0) } ?? .none
    }

    /// A sender has gone: what it has begun stays incomplete.
    mutating func senderLeft(_ sender: String) {
        for (key, entry) in open where entry.sender == sender { fail(key, "its sender has left") }
    }

    /// The call is over.
    mutating func end() { for key in Array(open.keys) { fail(key, "the call has ended") } }

    private mutating func fail(_ key: String, _ why: String) {
        guard let entry = open.removeValue(forKey: key) else { return }
        entry.stream.finish(DataStreamError("stream \(entry.stream.info.id): \(why)"))
    }

    private static func inlineContent(of header: Livekit_DataStream.Header) -> [UInt8]? {
        let bytes = Array(header.inlineContent)
        guard header.compression == .deflateRaw else { return header.compression == .none ? bytes : nil }
        return try? Inflate.decompress(bytes, limit: longestText)
    }

    private static func message(_ bytes: [UInt8], _ info: DataStreamInfo) -> TextMessage? {
        String(validating: bytes, as: UTF8.self).map {
            TextMessage(text: $0, topic: info.topic, attributes: info.attributes)
        }
    }
}

extension DataStreamInfo {
    init(_ header: Livekit_DataStream.Header) {
        var content = Content.text
        if case .byteHeader(let bytes) = header.contentHeader { content = .bytes(name: bytes.name) }
        self.init(
            id: header.streamID, topic: header.topic, content: content, mimeType: header.mimeType,
            totalLength: header.hasTotalLength ? header.totalLength : nil, attributes: header.attributes)
    }

    /// The header that begins such a stream; `now` in milliseconds since 1970.
    func header(now: Int64) -> Livekit_DataStream.Header {
        .with {
            $0.streamID = id
            $0.timestamp = now
            $0.topic = topic
            $0.mimeType = mimeType
            if let totalLength { $0.totalLength = totalLength }
            $0.attributes = attributes
            switch content {
            case .text: $0.textHeader = .init()
            case .bytes(let name): $0.byteHeader.name = name
            }
        }
    }
}
