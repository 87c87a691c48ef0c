/// Retransmission, RFC 4588 section 4: the original payload behind the original sequence number (OSN).
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         RTP header (of the RTX stream)        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |            OSN                |   original payload ...        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package enum RTX {
    /// Length of the original sequence number in bytes.
    package static let headerLength = 2

    /// The header of the packet that an RTX packet repeats: its own SSRC, payload type and sequence number again, and a
    /// payload offset behind the OSN, so that no byte is moved.
    ///
    /// - Parameters:
    ///   - header: of the RTX packet, padding read.
    ///   - bytes: the RTX packet, opened.
    /// - Returns: `nil` for a packet of padding alone (a probe) and for one that is too short.
    package static func restore(
        _ header: RTPHeader, in bytes: RawSpan, ssrc: UInt32, payloadType: UInt8
    ) -> RTPHeader? {
        let payload = header.payloadRange(in: bytes.byteCount)
        guard payload.count >= headerLength, payload.upperBound <= bytes.byteCount else { return nil }
        var original = header
        original.sequenceNumber = bytes.uint16(payload.lowerBound)
        original.ssrc = ssrc
        original.payloadType = payloadType & 0x7f
        original.payloadOffset += headerLength
        return original
    }

    /// Writes the OSN at the beginning of an RTX payload; 0, writing nothing, where there is no room.
    package static func write(originalSequenceNumber: UInt16, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard buffer.count >= headerLength else { return 0 }
        buffer.store(originalSequenceNumber, at: 0)
        return headerLength
    }
}
