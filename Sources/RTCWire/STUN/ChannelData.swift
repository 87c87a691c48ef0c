/// A TURN ChannelData message, RFC 8656 section 12.4.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |         Channel Number        |            Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  /                       Application Data                        /
/// ```
/// Over streams it is padded to a multiple of four bytes, which the length does not count; over UDP it need not be.
package struct ChannelData: Hashable, Sendable {
    package static let headerLength = 4
    /// The numbers that a client may bind.
    package static let numbers: ClosedRange<UInt16> = 0x4000...0x4fff

    package let number: UInt16
    /// Where the data stands in the message.
    package let payload: Range<Int>

    /// Parses a message that begins with `bytes`; padding behind it is left out.
    ///
    /// - Throws: `truncated`, `invalidValue` (a number that is no channel's), `invalidLength` (more than is there).
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= ChannelData.headerLength else { throw .truncated }
        number = bytes.uint16(0)
        guard ChannelData.numbers.contains(number) else { throw .invalidValue }
        let length = Int(bytes.uint16(2))
        guard length <= bytes.byteCount - ChannelData.headerLength else { throw .invalidLength }
        payload = ChannelData.headerLength..<(ChannelData.headerLength + length)
    }

    /// The header as one number in network order.
    package static func header(number: UInt16, length: Int) -> UInt32 {
        UInt32(number) << 16 | UInt32(truncatingIfNeeded: length) & 0xffff
    }
}

/// How messages follow each other on a stream between TURN client and server (RFC 8656 section 3.1): STUN messages and
/// ChannelData, told apart by the first two bits.
package enum TURNFraming {
    /// Bytes that the first message takes, padding included; nil where that can't be told yet.
    ///
    /// - Throws: `invalidVersion` for what is neither.
    package static func length(_ bytes: RawSpan) throws(WireError) -> Int? {
        guard bytes.byteCount >= 4 else { return nil }
        let body = Int(bytes.uint16(2))
        switch bytes.byte(0) >> 6 {
        case 0: return STUNMessage.headerLength + body
        case 1: return ChannelData.headerLength + (body + 3) & ~3
        default: throw .invalidVersion
        }
    }
}
