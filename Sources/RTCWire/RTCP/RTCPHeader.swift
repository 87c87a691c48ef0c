/// The head that every RTCP packet begins with, RFC 3550 section 6.4.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  count  |  packet type  |  length in 32-bit words - 1   |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct RTCPHeader: Hashable, Sendable {
    package static let length = 4

    /// Packet types: RFC 3550 section 12.1, RFC 4585 section 6.1, RFC 3611 section 2.
    package static let senderReport: UInt8 = 200
    package static let receiverReport: UInt8 = 201
    package static let sourceDescription: UInt8 = 202
    package static let goodbye: UInt8 = 203
    package static let application: UInt8 = 204
    package static let transportFeedback: UInt8 = 205
    package static let payloadFeedback: UInt8 = 206
    package static let extendedReport: UInt8 = 207

    /// Report, chunk or source count, or feedback message type: 0...31.
    package var count: UInt8
    package var type: UInt8
    /// Length of the packet in bytes, this head and padding included: 4...262,144.
    package var packetLength: Int
    /// Bytes of padding at the packet's end, its count octet included.
    package var paddingLength: Int

    /// Reads the head at `offset` of a compound and checks that the packet ends within it.
    init(parsing bytes: RawSpan, at offset: Int) throws(WireError) {
        guard bytes.byteCount - offset >= RTCPHeader.length else { throw .truncated }
        let first = bytes.byte(offset)
        guard first >> 6 == 2 else { throw .invalidVersion }
        count = first & 0x1f
        type = bytes.byte(offset + 1)
        packetLength = 4 + 4 * Int(bytes.uint16(offset + 2))
        paddingLength = 0
        guard bytes.byteCount - offset >= packetLength else { throw .truncated }
        guard first & 0x20 != 0 else { return }
        let padding = Int(bytes.byte(offset + packetLength - 1))
        // RFC 3550 asks for a multiple of four; libwebrtc's transport-cc feedback fills its last word with 1 to 3.
        guard padding > 0, padding <= packetLength - 4 else { throw .invalidPadding }
        paddingLength = padding
    }

    /// Writes a head without padding for a packet of `length` bytes, a multiple of four.
    static func write(
        count: Int, type: UInt8, length: Int, into buffer: UnsafeMutableRawBufferPointer
    ) {
        buffer.store(0x80 | UInt8(truncatingIfNeeded: count & 0x1f), at: 0)
        buffer.store(type, at: 1)
        buffer.store(UInt16(truncatingIfNeeded: length / 4 - 1), at: 2)
    }
}
