/// A payload of redundant audio data, RFC 2198 section 3: the present frame, and before it copies of earlier ones.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |1|   block PT  |  timestamp offset         |   block length    |  for each copy, the oldest first
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |0|   block PT  |                                                  for the present frame
///  +-+-+-+-+-+-+-+-+
/// ```
///
/// The blocks follow in the order of their headers; the last one ends with the payload.
package struct RedundantAudio: Hashable, Sendable {
    /// Copies that are read: no sender writes more than a handful.
    package static let maximumCopies = 16
    /// What fits the 14 bits of a timestamp offset.
    package static let maximumOffset = 0x3fff
    /// What fits the 10 bits of a block length.
    package static let maximumLength = 0x3ff

    /// One frame.
    package struct Block: Hashable, Sendable {
        package var payloadType: UInt8
        /// How much earlier than the packet's timestamp, in units of its clock; 0 for the present frame.
        package var timestampOffset: UInt32
        /// Where its bytes stand in the payload.
        package var range: Range<Int>
        /// How many packets before this one the frame was sent as the present one; 0 for the present frame.
        package var distance: Int

        package init(payloadType: UInt8, timestampOffset: UInt32, range: Range<Int>, distance: Int) {
            self.payloadType = payloadType
            self.timestampOffset = timestampOffset
            self.range = range
            self.distance = distance
        }
    }

    /// Copies before the present frame.
    package let copies: Int
    private let total: Int

    /// Checks the headers of a payload: their blocks lie inside it.
    package init(parsing bytes: RawSpan) throws(WireError) {
        var offset = 0
        var length = 0
        var copies = 0
        while true {
            guard offset < bytes.byteCount else { throw .truncated }
            guard bytes.byte(offset) & 0x80 != 0 else { break }
            guard offset + 4 <= bytes.byteCount else { throw .truncated }
            guard copies < RedundantAudio.maximumCopies else { throw .invalidValue }
            length += Int(bytes.uint16(offset + 2) & 0x3ff)
            offset += 4
            copies += 1
        }
        guard offset + 1 + length <= bytes.byteCount else { throw .invalidLength }
        self.copies = copies
        total = bytes.byteCount
    }

    /// A block of the payload that was parsed, 0 for the oldest copy to `copies` for the present frame.
    package func block(_ index: Int, in bytes: RawSpan) -> Block? {
        guard (0...copies).contains(index), bytes.byteCount == total else { return nil }
        var start = 4 * copies + 1
        for earlier in 0..<index { start += Int(bytes.uint16(4 * earlier + 2) & 0x3ff) }
        let head = 4 * index
        let payloadType = bytes.byte(head) & 0x7f
        guard index < copies else {
            return Block(payloadType: payloadType, timestampOffset: 0, range: start..<total, distance: 0)
        }
        let word = UInt32(bytes.byte(head + 1)) << 16 | UInt32(bytes.uint16(head + 2))
        let length = Int(word & 0x3ff)
        return Block(
            payloadType: payloadType, timestampOffset: word >> 10, range: start..<(start + length),
            distance: copies - index)
    }

    /// One frame to be written.
    package struct Frame: Sendable {
        package var timestamp: UInt32
        package var payload: [UInt8]

        package init(timestamp: UInt32, payload: [UInt8]) {
            self.timestamp = timestamp
            self.payload = payload
        }
    }

    /// Writes `frame` with as many of `earlier` before it as fit, counted from the latest.
    ///
    /// - Parameters:
    ///   - earlier: the frames sent just before, the oldest first.
    ///   - payloadType: of the frames, all of one codec.
    /// - Returns: the bytes written; 0, writing nothing, where not even `frame` fits.
    package static func write(
        _ frame: Frame, after earlier: some BidirectionalCollection<Frame>, payloadType: UInt8,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var size = 1 + frame.payload.count
        guard size <= buffer.count else { return 0 }
        var first = earlier.endIndex
        // A copy that doesn't fit ends the row: receivers count the packets back from the present one.
        while first != earlier.startIndex {
            let index = earlier.index(before: first)
            let copy = earlier[index]
            let age = frame.timestamp &- copy.timestamp
            guard age <= UInt32(maximumOffset), copy.payload.count <= maximumLength, !copy.payload.isEmpty,
                size + 4 + copy.payload.count <= buffer.count
            else { break }
            size += 4 + copy.payload.count
            first = index
        }
        var offset = 0
        for copy in earlier[first...] {
            writeHeader(
                payloadType: payloadType, age: frame.timestamp &- copy.timestamp, length: copy.payload.count,
                into: buffer, at: offset)
            offset += headerLength
        }
        buffer[offset] = payloadType & 0x7f
        offset += 1
        for payload in earlier[first...].map(\.payload) + [frame.payload] {
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyBytes(from: payload)
            offset += payload.count
        }
        return size
    }

    /// Of a copy's header, bytes.
    package static let headerLength = 4

    /// Writes a copy's header.
    ///
    /// - Parameters:
    ///   - age: how much earlier its timestamp is than the packet's, at most `maximumOffset`.
    ///   - length: bytes, at most `maximumLength`.
    package static func writeHeader(
        payloadType: UInt8, age: UInt32, length: Int, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        let word = UInt32(0x80 | payloadType & 0x7f) << 24 | (age & 0x3fff) << 10 | UInt32(length & 0x3ff)
        buffer.store(word, at: offset)
    }
}
