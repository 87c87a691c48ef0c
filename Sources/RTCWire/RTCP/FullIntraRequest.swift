/// Full intra request, RFC 5104 section 4.3.1: asks each named source for a key frame.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  FMT=4  |     PT=206    |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                   SSRC of media source (unused, 0)            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                              SSRC                             |  one or more
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | Seq nr.       |    Reserved                                   |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct FullIntraRequest: Hashable, Sendable {
    /// One source's request; a repetition keeps the number, a new request counts it up.
    package struct Entry: Hashable, Sendable {
        package var ssrc: UInt32
        package var sequenceNumber: UInt8

        package init(ssrc: UInt32, sequenceNumber: UInt8) {
            self.ssrc = ssrc
            self.sequenceNumber = sequenceNumber
        }
    }

    package var senderSSRC: UInt32
    package var entries: [Entry]

    package init(senderSSRC: UInt32, entries: [Entry]) {
        self.senderSSRC = senderSSRC
        self.entries = entries
    }

    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= 20 else { throw .truncated }
        self.init(senderSSRC: packet.uint32(4), entries: [])
        var offset = 12
        while offset + 8 <= packet.byteCount {
            entries.append(Entry(ssrc: packet.uint32(offset), sequenceNumber: packet.byte(offset + 4)))
            offset += 8
        }
    }

    /// Length in bytes when written; 0 where no source is named.
    package var encodedLength: Int { entries.isEmpty ? 0 : 12 + 8 * entries.count }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small or nothing is named.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard length != 0, buffer.count >= length, length <= 4 * 0x1_0000 else { return 0 }
        RTCPHeader.write(count: 4, type: RTCPHeader.payloadFeedback, length: length, into: buffer)
        buffer.store(senderSSRC, at: 4)
        buffer.store(UInt32(0), at: 8)
        var offset = 12
        for entry in entries {
            buffer.store(entry.ssrc, at: offset)
            buffer.store(UInt32(entry.sequenceNumber) << 24, at: offset + 4)
            offset += 8
        }
        return length
    }
}
