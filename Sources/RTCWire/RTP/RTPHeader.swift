/// The RTP header, RFC 3550 section 5.1, and where its extension block and its payload stand in the packet.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|X|  CC   |M|     PT      |       sequence number         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                           timestamp                           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |           synchronization source (SSRC) identifier            |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |            contributing source (CSRC) identifiers, CC of them |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   extension profile (X)       |  length in 32-bit words       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct RTPHeader: Hashable, Sendable {
    /// Length of the fixed part in bytes.
    package static let fixedLength = 12

    package var marker: Bool
    /// 0...127.
    package var payloadType: UInt8
    package var sequenceNumber: UInt16
    package var timestamp: UInt32
    package var ssrc: UInt32
    /// Number of contributing sources, 0...15; they stand at offset 12, four bytes each.
    package var contributingSourceCount: UInt8
    /// The P bit. In an encrypted packet the count itself is not yet readable: see `readPadding`.
    package var hasPadding: Bool
    /// 0xBEDE for the one-byte form, 0x100x for the two-byte form, 0 where there is no extension block.
    package var extensionProfile: UInt16
    /// Offset of the first extension element, behind the block's four-byte head; 0 without a block.
    package var extensionOffset: Int
    /// Length of the elements in bytes, padding included.
    package var extensionLength: Int
    /// Offset of the payload from the start of the packet: the length of the whole header.
    package var payloadOffset: Int
    /// Bytes of padding at the end of the packet, the count octet included.
    package var paddingLength: Int

    /// A header of the fixed part alone.
    package init(marker: Bool, payloadType: UInt8, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32) {
        self.marker = marker
        self.payloadType = payloadType & 0x7f
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        contributingSourceCount = 0
        hasPadding = false
        extensionProfile = 0
        extensionOffset = 0
        extensionLength = 0
        payloadOffset = RTPHeader.fixedLength
        paddingLength = 0
    }

    /// Parses the header of a whole packet.
    ///
    /// - Parameter encrypted: the packet is still sealed, so the padding count is not looked at.
    /// - Throws: `truncated`, `invalidVersion`, or `invalidPadding` where P is set and the count is 0 or too large.
    package init(parsing bytes: RawSpan, encrypted: Bool = false) throws(WireError) {
        let available = bytes.byteCount
        guard available >= RTPHeader.fixedLength else { throw .truncated }
        let first = bytes.uint32(0)
        guard first >> 30 == 2 else { throw .invalidVersion }
        var offset = RTPHeader.fixedLength + 4 * Int(first >> 24 & 0x0f)
        // Each stored property is set once, at the end: a value put together in memory piece by piece and then copied
        // costs three times as much.
        var profile: UInt16 = 0
        var elements = 0
        var elementBytes = 0
        if first & 0x1000_0000 != 0 {
            guard available >= offset + 4 else { throw .truncated }
            let head = bytes.uint32(offset)
            profile = UInt16(truncatingIfNeeded: head >> 16)
            elementBytes = 4 * Int(head & 0xffff)
            elements = offset + 4
            offset = elements + elementBytes
        }
        guard available >= offset else { throw .truncated }
        let isPadded = first & 0x2000_0000 != 0
        paddingLength = isPadded && !encrypted ? try RTPHeader.padding(bytes, behind: offset) : 0
        marker = first & 0x0080_0000 != 0
        payloadType = UInt8(truncatingIfNeeded: first >> 16) & 0x7f
        sequenceNumber = UInt16(truncatingIfNeeded: first)
        timestamp = bytes.uint32(4)
        ssrc = bytes.uint32(8)
        contributingSourceCount = UInt8(truncatingIfNeeded: first >> 24) & 0x0f
        hasPadding = isPadded
        extensionProfile = profile
        extensionOffset = elements
        extensionLength = elementBytes
        payloadOffset = offset
    }

    /// Reads the padding count of a packet that has meanwhile been opened; `bytes` is the packet without SRTP tag.
    ///
    /// - Throws: `invalidPadding` where P is set and the count is 0 or exceeds the payload.
    package mutating func readPadding(in bytes: RawSpan) throws(WireError) {
        if hasPadding { paddingLength = try RTPHeader.padding(bytes, behind: payloadOffset) }
    }

    private static func padding(_ bytes: RawSpan, behind payloadOffset: Int) throws(WireError) -> Int {
        guard bytes.byteCount > payloadOffset else { throw .invalidPadding }
        let count = Int(bytes.byte(bytes.byteCount - 1))
        guard count > 0, count <= bytes.byteCount - payloadOffset else { throw .invalidPadding }
        return count
    }

    /// Where the payload stands in a packet of `length` bytes, padding left out. Empty for a padding-only packet.
    package func payloadRange(in length: Int) -> Range<Int> {
        payloadOffset..<max(payloadOffset, length &- paddingLength)
    }

    /// The contributing source at `index`, `nil` where there are not so many.
    package func contributingSource(_ index: Int, in bytes: RawSpan) -> UInt32? {
        guard index >= 0, index < Int(contributingSourceCount) else { return nil }
        let offset = RTPHeader.fixedLength + 4 * index
        return bytes.byteCount >= offset + 4 ? bytes.uint32(offset) : nil
    }
}

extension RTPHeader {
    /// Writes a whole header, without contributing sources or padding, and gives its length: the payload's offset.
    ///
    /// Writes nothing and gives 0 where `buffer` is too small.
    package static func write(
        marker: Bool, payloadType: UInt8, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32,
        extensions: RTPExtensions, opaque: RTPOpaqueElements = RTPOpaqueElements(), map: RTPExtensionMap,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard buffer.count >= fixedLength else { return 0 }
        let block = extensions.write(into: buffer.suffix(from: fixedLength), map: map, opaque: opaque)
        if block == 0, buffer.count < fixedLength + RTPExtensions.maximumLength + opaque.count,
            extensions.encodedLength(map: map, opaque: opaque) != 0
        {
            return 0
        }
        let flags: UInt32 = 0x8000_0000 | (block == 0 ? 0 : 0x1000_0000) | (marker ? 0x0080_0000 : 0)
        buffer.store(flags | UInt32(payloadType & 0x7f) << 16 | UInt32(sequenceNumber), at: 0)
        buffer.store(timestamp, at: 4)
        buffer.store(ssrc, at: 8)
        return fixedLength + block
    }
}
