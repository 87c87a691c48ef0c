/// How packets follow each other on a stream of ICE, RFC 4571 section 2 (RFC 6544 section 3): each behind its length.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |            LENGTH             |  STUN, DTLS, RTP or RTCP ...  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package enum PacketFraming {
    package static let headerLength = 2
    /// What the length field can say.
    package static let largestPacket = 0xffff
}

/// Cuts what comes on a stream into packets, wherever the stream was cut. A value: it keeps what has come of a packet that
/// is not complete yet, and no more than that.
package struct PacketUnframer: Sendable {
    /// Longer packets are nobody's: what says so is no such stream, or a hostile one. 1...65535 bytes.
    package let maximumPacket: Int
    /// The beginning of a packet with its length field; shorter than `maximumPacket + headerLength`.
    private var kept: [UInt8] = []

    package init(maximumPacket: Int) {
        self.maximumPacket = min(max(maximumPacket, 1), PacketFraming.largestPacket)
    }

    /// Bytes of a packet that is not complete.
    package var keptCount: Int { kept.count }

    /// The most that is ever kept: the room that `restore` needs.
    package var capacity: Int { maximumPacket + PacketFraming.headerLength - 1 }

    /// Puts what was kept at the beginning of `memory`, of `capacity` bytes at least, so that what is read next follows it.
    ///
    /// - Returns: how many bytes that are. They are no longer kept: `cut` takes them with what was read.
    package mutating func restore(into memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = kept.count
        kept.withUnsafeBytes { memory.copyMemory(from: $0) }
        kept.removeAll(keepingCapacity: true)
        return count
    }

    /// Hands each whole packet of `bytes`, in place, to `body`, and keeps the rest. Empty packets are left out.
    ///
    /// - Throws: `invalidLength` for a packet that is too long; nothing behind it can be told apart.
    package mutating func cut(
        _ bytes: UnsafeMutableRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(WireError) {
        var offset = 0
        while bytes.count - offset >= PacketFraming.headerLength {
            let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            guard length <= maximumPacket else { throw .invalidLength }
            let start = offset + PacketFraming.headerLength
            guard bytes.count - start >= length else { break }
            if length > 0 { body(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + length)])) }
            offset = start + length
        }
        kept.append(contentsOf: bytes[offset...])
    }
}
