/// The uncompressed data chunk at the beginning of a VP8 frame, RFC 6386 section 9.1. Little-endian, unlike its carrier.
///
/// ```
///   byte 0                1                2
///  +-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+
///  |size0|H| VER |P| |     size1     | |     size2     |   P: 0 for a key frame, H: the frame is shown
///  +-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+
///   3..5: 9d 01 2a    6..7: width, 14 bits, and scale     8..9: height, 14 bits, and scale (key frames only)
/// ```
package struct VP8FrameHeader: Hashable, Sendable {
    package let isKeyFrame: Bool
    package let isShown: Bool
    /// Length of the first partition in bytes, 19 bits.
    package let firstPartitionLength: Int
    /// In pixels, 1...16383; 0 in frames that are no key frames.
    package let width: Int
    /// In pixels, 1...16383; 0 in frames that are no key frames.
    package let height: Int

    /// Reads the beginning of a frame: what follows the payload descriptor of its first packet.
    ///
    /// - Throws: `truncated`, `invalidVersion` (start code of a key frame), `invalidValue` (a key frame without extent).
    package init(parsing frame: RawSpan) throws(WireError) {
        guard frame.byteCount >= 3 else { throw .truncated }
        let first = frame.byte(0)
        isKeyFrame = first & 0x01 == 0
        isShown = first & 0x10 != 0
        firstPartitionLength = Int(first >> 5) | Int(frame.byte(1)) << 3 | Int(frame.byte(2)) << 11
        guard isKeyFrame else {
            width = 0
            height = 0
            return
        }
        guard frame.byteCount >= 10 else { throw .truncated }
        guard frame.uint24(3) == 0x9d012a else { throw .invalidVersion }
        width = Int(frame.uint16(6).byteSwapped & 0x3fff)
        height = Int(frame.uint16(8).byteSwapped & 0x3fff)
        guard width > 0, height > 0 else { throw .invalidValue }
    }
}

extension VP8PayloadDescriptor {
    /// Whether `payload`, whose descriptor this is, begins a key frame. Reads one bit behind the descriptor, as a
    /// forwarder does.
    package func startsKeyFrame(in payload: RawSpan) -> Bool {
        let offset = encodedLength
        return startsFrame && payload.byteCount > offset && payload.byte(offset) & 0x01 == 0
    }
}
