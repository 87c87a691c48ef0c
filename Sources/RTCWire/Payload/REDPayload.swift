/// Redundant audio data, RFC 2198 section 3: headers of earlier blocks, the header of the primary one, then all blocks.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |1|   block PT  |  timestamp offset         |   block length    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |0|   block PT  |                                 (primary)
///  +-+-+-+-+-+-+-+-+
/// ```
package struct REDPayload: Hashable, Sendable {
    /// One copy of an earlier packet.
    package struct Block: Hashable, Sendable {
        package var payloadType: UInt8
        /// How much older it is than the packet, in RTP ticks: 14 bits.
        package var timestampOffset: UInt16
        /// Where its data stands in the payload.
        package var data: Range<Int>
    }

    /// Blocks before the primary one that are read; senders make one to three.
    package static let maximumRedundancy = 16

    package let primaryPayloadType: UInt8
    /// Where the newest data stands in the payload; empty where the sender had nothing to say.
    package let primary: Range<Int>
    /// How many copies of earlier packets stand before it.
    package let redundancy: Int
    /// Length of all headers in bytes.
    private let headerLength: Int

    /// Reads the headers at the beginning of an RTP payload.
    ///
    /// - Throws: `truncated` where headers or blocks reach behind the payload, `invalidValue` where there are too many.
    package init(parsing payload: RawSpan) throws(WireError) {
        var offset = 0
        var blocks = 0
        var blockBytes = 0
        while true {
            guard offset < payload.byteCount else { throw .truncated }
            guard payload.byte(offset) & 0x80 != 0 else { break }
            guard offset + 4 <= payload.byteCount else { throw .truncated }
            guard blocks < REDPayload.maximumRedundancy else { throw .invalidValue }
            blockBytes += Int(payload.uint16(offset + 2) & 0x3ff)
            blocks += 1
            offset += 4
        }
        primaryPayloadType = payload.byte(offset) & 0x7f
        headerLength = offset + 1
        redundancy = blocks
        guard headerLength + blockBytes <= payload.byteCount else { throw .truncated }
        primary = (headerLength + blockBytes)..<payload.byteCount
    }

    /// The copy at `index`, the oldest first; nil where there is none.
    package func block(_ index: Int, in payload: RawSpan) -> Block? {
        guard index >= 0, index < redundancy, payload.byteCount == primary.upperBound else { return nil }
        var start = headerLength
        for earlier in 0..<index { start += Int(payload.uint16(4 * earlier + 2) & 0x3ff) }
        let head = payload.uint32(4 * index)
        return Block(
            payloadType: UInt8(head >> 24 & 0x7f), timestampOffset: UInt16(head >> 10 & 0x3fff),
            data: start..<(start + Int(head & 0x3ff)))
    }

    /// Writes the headers of a payload and gives their length; the blocks' data follows in the same order. 0, writing
    /// nothing, where there is no room or a value doesn't fit its bits.
    package static func write(
        blocks: [(payloadType: UInt8, timestampOffset: UInt16, length: Int)], primaryPayloadType: UInt8,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let length = 4 * blocks.count + 1
        guard buffer.count >= length, blocks.count <= maximumRedundancy,
            blocks.allSatisfy({ $0.timestampOffset < 1 << 14 && (0..<1 << 10).contains($0.length) })
        else { return 0 }
        for (index, block) in blocks.enumerated() {
            let head = 0x8000_0000 | UInt32(block.payloadType & 0x7f) << 24 | UInt32(block.timestampOffset) << 10
            buffer.store(head | UInt32(block.length), at: 4 * index)
        }
        buffer[length - 1] = primaryPayloadType & 0x7f
        return length
    }
}
