/// REMB, draft-alvestrand-rmcat-remb-03 section 2.2: application layer feedback with the identifier "REMB".
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P| FMT=15  |   PT=206      |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                  SSRC of packet sender                        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                  SSRC of media source (0)                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Unique identifier 'R' 'E' 'M' 'B'                            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Num SSRC     | BR Exp    |  BR Mantissa                      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   SSRC feedback, Num SSRC of them                             |
/// ```
package struct ReceiverEstimatedMaximumBitrate: Hashable, Sendable {
    package var senderSSRC: UInt32
    /// In bit/s; an 18-bit mantissa is written, rounded down.
    package var bitrate: UInt64
    /// The sources that share it; at most 255 are written.
    package var ssrcs: [UInt32]

    private static let identifier: UInt32 = 0x5245_4d42
    private static let fixedLength = 20

    package init(senderSSRC: UInt32, bitrate: UInt64, ssrcs: [UInt32]) {
        self.senderSSRC = senderSSRC
        self.bitrate = bitrate
        self.ssrcs = ssrcs
    }

    /// Whether an application layer feedback is this one.
    static func isOne(_ packet: RawSpan) -> Bool { packet.byteCount >= 16 && packet.uint32(12) == identifier }

    init(parsing packet: RawSpan) throws(WireError) {
        let fixed = ReceiverEstimatedMaximumBitrate.fixedLength
        guard packet.byteCount >= fixed else { throw .truncated }
        let count = Int(packet.byte(16))
        let value = packet.uint24(17)
        let exponent = Int(value >> 18)
        let mantissa = UInt64(value & 0x3_ffff)
        guard packet.byteCount >= fixed + 4 * count else { throw .truncated }
        guard mantissa == 0 || exponent <= mantissa.leadingZeroBitCount else { throw .invalidValue }
        self.init(senderSSRC: packet.uint32(4), bitrate: mantissa << UInt64(exponent), ssrcs: [])
        for index in 0..<count { ssrcs.append(packet.uint32(fixed + 4 * index)) }
    }

    /// Length in bytes when written.
    package var encodedLength: Int { ReceiverEstimatedMaximumBitrate.fixedLength + 4 * min(ssrcs.count, 255) }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length else { return 0 }
        RTCPHeader.write(count: 15, type: RTCPHeader.payloadFeedback, length: length, into: buffer)
        buffer.store(senderSSRC, at: 4)
        buffer.store(UInt32(0), at: 8)
        buffer.store(ReceiverEstimatedMaximumBitrate.identifier, at: 12)
        let exponent = max(0, 64 - bitrate.leadingZeroBitCount - 18)
        buffer.store(UInt8(min(ssrcs.count, 255)), at: 16)
        buffer.store24(UInt32(exponent) << 18 | UInt32(truncatingIfNeeded: bitrate >> UInt64(exponent)), at: 17)
        var offset = ReceiverEstimatedMaximumBitrate.fixedLength
        for ssrc in ssrcs.prefix(255) {
            buffer.store(ssrc, at: offset)
            offset += 4
        }
        return length
    }
}
