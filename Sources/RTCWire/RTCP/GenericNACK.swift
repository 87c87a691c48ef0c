/// Generic NACK, RFC 4585 section 6.2.1: packets that a receiver misses.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  FMT=1  |     PT=205    |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      SSRC of media source                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      packet id (PID)          | bitmask of following (BLP)    |  one or more
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct GenericNACK: Hashable, Sendable {
    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    /// In the order of the wire. Written best when ascending on the circle: up to 17 share one word.
    package var sequenceNumbers: [UInt16]

    package init(senderSSRC: UInt32, mediaSSRC: UInt32, sequenceNumbers: [UInt16]) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
        self.sequenceNumbers = sequenceNumbers
    }

    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= 16 else { throw .truncated }
        self.init(senderSSRC: packet.uint32(4), mediaSSRC: packet.uint32(8), sequenceNumbers: [])
        var offset = 12
        while offset + 4 <= packet.byteCount {
            let first = packet.uint16(offset)
            var mask = packet.uint16(offset + 2)
            sequenceNumbers.append(first)
            while mask != 0 {
                sequenceNumbers.append(first &+ 1 &+ UInt16(mask.trailingZeroBitCount))
                mask &= mask &- 1
            }
            offset += 4
        }
    }

    /// How many of `numbers`, from the first one on, one packet of at most `limit` bytes names; at least one.
    package static func prefixLength(of numbers: ArraySlice<UInt16>, limit: Int) -> Int {
        var words = 1
        var first = numbers.first ?? 0
        for (position, number) in numbers.enumerated() where position > 0 && !(1...16).contains(number &- first) {
            words += 1
            first = number
            if 12 + 4 * words > limit { return position }
        }
        return numbers.count
    }

    /// Length in bytes when written; 0 where no sequence number is named.
    package var encodedLength: Int {
        guard !sequenceNumbers.isEmpty else { return 0 }
        var words = 0
        forEachWord { _, _ in words += 1 }
        return 12 + 4 * words
    }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small or nothing is named.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard length != 0, buffer.count >= length, length <= 4 * 0x1_0000 else { return 0 }
        RTCPHeader.write(count: 1, type: RTCPHeader.transportFeedback, length: length, into: buffer)
        buffer.store(senderSSRC, at: 4)
        buffer.store(mediaSSRC, at: 8)
        var offset = 12
        forEachWord { first, mask in
            buffer.store(first, at: offset)
            buffer.store(mask, at: offset + 2)
            offset += 4
        }
        return length
    }

    /// Groups each number with those of the next 16 that directly follow it in the list.
    private func forEachWord(_ body: (_ first: UInt16, _ mask: UInt16) -> Void) {
        var index = 0
        while index < sequenceNumbers.count {
            let first = sequenceNumbers[index]
            var mask: UInt16 = 0
            index += 1
            while index < sequenceNumbers.count {
                let distance = sequenceNumbers[index] &- first
                guard (1...16).contains(distance) else { break }
                mask |= 1 << (distance - 1)
                index += 1
            }
            body(first, mask)
        }
    }
}
