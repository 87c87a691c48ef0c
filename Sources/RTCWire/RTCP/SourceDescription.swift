/// Source description, RFC 3550 section 6.5.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|    SC   |  PT=SDES=202  |             length            |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |                          SSRC of a chunk                      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  item type    |     length    | text ...          | 0 ... 0   |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// ```
package struct SourceDescription: Hashable, Sendable {
    /// One item of a chunk.
    package struct Item: Hashable, Sendable {
        package static let cname: UInt8 = 1
        /// The media section that a source belongs to, RFC 9143 section 15.1.
        package static let mid: UInt8 = 15

        package var type: UInt8
        /// At most 255 bytes of UTF-8 are written.
        package var text: String

        package init(type: UInt8, text: String) {
            self.type = type
            self.text = text
        }

        fileprivate var textLength: Int { min(text.utf8.count, 255) }
    }

    /// The items of one source.
    package struct Chunk: Hashable, Sendable {
        package var ssrc: UInt32
        package var items: [Item]

        package init(ssrc: UInt32, items: [Item]) {
            self.ssrc = ssrc
            self.items = items
        }

        /// Items, at least one terminating zero, and padding to a whole word.
        fileprivate var encodedLength: Int {
            (items.reduce(4 + 1) { $0 + 2 + $1.textLength } + 3) & ~3
        }
    }

    /// At most 31 are written.
    package var chunks: [Chunk]

    package init(chunks: [Chunk]) { self.chunks = chunks }

    /// One source, its canonical name, and where wanted its media section.
    package init(ssrc: UInt32, cname: String, mid: String? = nil) {
        var items = [Item(type: Item.cname, text: cname)]
        if let mid { items.append(Item(type: Item.mid, text: mid)) }
        chunks = [Chunk(ssrc: ssrc, items: items)]
    }

    /// The canonical name of `ssrc`, `nil` where none is told.
    package func cname(of ssrc: UInt32) -> String? {
        chunks.first { $0.ssrc == ssrc }?.items.first { $0.type == Item.cname }?.text
    }

    init(parsing packet: RawSpan, count: Int) throws(WireError) {
        chunks = []
        var offset = RTCPHeader.length
        for _ in 0..<count {
            guard packet.byteCount >= offset + 4 else { throw .truncated }
            let ssrc = packet.uint32(offset)
            offset += 4
            chunks.append(Chunk(ssrc: ssrc, items: try SourceDescription.items(packet, &offset)))
        }
    }

    /// Reads items up to and with the terminating zero; leaves `offset` at the next whole word.
    private static func items(_ packet: RawSpan, _ offset: inout Int) throws(WireError) -> [Item] {
        var items: [Item] = []
        while true {
            guard packet.byteCount > offset else { throw .truncated }
            let type = packet.byte(offset)
            guard type != 0 else { break }
            guard packet.byteCount >= offset + 2 else { throw .truncated }
            let end = offset + 2 + Int(packet.byte(offset + 1))
            guard packet.byteCount >= end else { throw .truncated }
            let text = packet.extracting((offset + 2)..<end).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            items.append(Item(type: type, text: text))
            offset = end
        }
        offset = (offset + 4) & ~3
        return items
    }

    /// Length in bytes when written.
    package var encodedLength: Int { chunks.prefix(31).reduce(RTCPHeader.length) { $0 + $1.encodedLength } }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length, length <= 4 * 0x1_0000 else { return 0 }
        RTCPHeader.write(
            count: min(chunks.count, 31), type: RTCPHeader.sourceDescription, length: length, into: buffer)
        var offset = RTCPHeader.length
        for chunk in chunks.prefix(31) {
            let end = offset + chunk.encodedLength
            buffer.store(chunk.ssrc, at: offset)
            offset += 4
            for item in chunk.items { SourceDescription.write(item, into: buffer, &offset) }
            while offset < end {
                buffer[offset] = 0
                offset += 1
            }
        }
        return length
    }

    private static func write(_ item: Item, into buffer: UnsafeMutableRawBufferPointer, _ offset: inout Int) {
        buffer[offset] = item.type
        buffer[offset + 1] = UInt8(item.textLength)
        offset += 2
        for byte in item.text.utf8.prefix(255) {
            buffer[offset] = byte
            offset += 1
        }
    }
}
