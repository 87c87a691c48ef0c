/// Picture loss indication, RFC 4585 section 6.3.1: asks for a key frame.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  FMT=1  |     PT=206    |            length=2           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      SSRC of media source                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct PictureLossIndication: Hashable, Sendable {
    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32

    package init(senderSSRC: UInt32, mediaSSRC: UInt32) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
    }

    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= 12 else { throw .truncated }
        self.init(senderSSRC: packet.uint32(4), mediaSSRC: packet.uint32(8))
    }

    /// Length in bytes when written.
    package var encodedLength: Int { 12 }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard buffer.count >= 12 else { return 0 }
        RTCPHeader.write(count: 1, type: RTCPHeader.payloadFeedback, length: 12, into: buffer)
        buffer.store(senderSSRC, at: 4)
        buffer.store(mediaSSRC, at: 8)
        return 12
    }
}
