/// BYE, RFC 3550 section 6.6.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|    SC   |   PT=BYE=203  |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                       SSRC or CSRC, SC of them                |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |     length    |               reason for leaving ... (opt)    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct Goodbye: Hashable, Sendable {
    /// The sources that leave; at most 31 are written.
    package var sources: [UInt32]
    /// At most 255 bytes of UTF-8 are written.
    package var reason: String?

    package init(sources: [UInt32], reason: String? = nil) {
        self.sources = sources
        self.reason = reason
    }

    init(parsing packet: RawSpan, count: Int) throws(WireError) {
        let end = RTCPHeader.length + 4 * count
        guard packet.byteCount >= end else { throw .truncated }
        sources = (0..<count).map { _ in 0 }
        for index in 0..<count { sources[index] = packet.uint32(RTCPHeader.length + 4 * index) }
        guard packet.byteCount > end else { return }
        let length = Int(packet.byte(end))
        guard packet.byteCount >= end + 1 + length else { throw .truncated }
        reason = packet.extracting((end + 1)..<(end + 1 + length)).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Length in bytes when written.
    package var encodedLength: Int {
        let text = reason.map { (1 + min($0.utf8.count, 255) + 3) & ~3 } ?? 0
        return RTCPHeader.length + 4 * min(sources.count, 31) + text
    }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length else { return 0 }
        RTCPHeader.write(count: min(sources.count, 31), type: RTCPHeader.goodbye, length: length, into: buffer)
        var offset = RTCPHeader.length
        for source in sources.prefix(31) {
            buffer.store(source, at: offset)
            offset += 4
        }
        guard let reason else { return length }
        for index in offset..<length { buffer[index] = 0 }
        buffer[offset] = UInt8(min(reason.utf8.count, 255))
        for byte in reason.utf8.prefix(255) {
            offset += 1
            buffer[offset] = byte
        }
        return length
    }
}
