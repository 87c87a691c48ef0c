/// Cuts a run of bytes into frames. A WebSocket message is one frame; where it comes in pieces, or several come together,
/// this reader does not mind. Once it has thrown, what follows has no meaning.
package struct RumorFrameReader: Sendable {
    /// Bytes of one frame that are gathered.
    package let limit: Int
    private var bytes: [UInt8] = []
    private var position = 0

    /// - Parameter limit: bytes of the longest frame.
    package init(limit: Int = 256 * 1024) { self.limit = limit }

    package mutating func append(_ more: some Sequence<UInt8>) {
        if position > 0 {
            bytes.removeFirst(position)
            position = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next frame; nil where it is not whole yet.
    package mutating func next() throws(RumorFault) -> RumorFrame? {
        let rest = bytes[position...]
        guard rest.count >= 4 else { return nil }
        let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length + 4 <= limit else { throw .frameTooLong(bytes: length + 4, limit: limit) }
        guard rest.count >= 4 + length else { return nil }
        let frame = try RumorFrame(body: rest.dropFirst(4).prefix(length))
        position += 4 + length
        return frame
    }

    /// Nothing of a frame is left over.
    package var isEmpty: Bool { position == bytes.count }
}

extension RumorFrame {
    /// One WebSocket message, which is one frame and no more.
    package init(message bytes: [UInt8], limit: Int = 256 * 1024) throws(RumorFault) {
        guard bytes.count <= limit else { throw .frameTooLong(bytes: bytes.count, limit: limit) }
        var reader = RumorFrameReader(limit: limit)
        reader.append(bytes)
        guard let frame = try reader.next(), reader.isEmpty else { throw .truncated }
        self = frame
    }
}
