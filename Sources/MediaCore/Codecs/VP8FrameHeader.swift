/// The uncompressed start of a VP8 frame, RFC 6386 section 9.1.
///
/// ```
///  byte 0            bytes 1-2            key frames only: bytes 3-5   bytes 6-7            bytes 8-9
///  +---+-+---+-+     +--------------+     +----------------------+     +--+--------------+  +--+---------------+
///  |siz|S|ver|P|     | size, rest   |     | 0x9d  0x01  0x2a     |     |sc|    width     |  |sc|    height     |
///  +---+-+---+-+     +--------------+     +----------------------+     +--+--------------+  +--+---------------+
/// ```
struct VP8FrameHeader: Hashable {
    let isKeyFrame: Bool
    /// Width in pixels; 0 unless a key frame.
    let width: Int
    /// Height in pixels; 0 unless a key frame.
    let height: Int

    /// Nil when the payload is too short or a key frame lacks its start code.
    init?(_ payload: UnsafeRawBufferPointer) {
        guard payload.count >= 3 else { return nil }
        isKeyFrame = payload[0] & 1 == 0
        guard isKeyFrame else {
            width = 0
            height = 0
            return
        }
        guard payload.count >= 10, payload[3] == 0x9d, payload[4] == 0x01, payload[5] == 0x2a else { return nil }
        width = Int(payload[6]) | Int(payload[7] & 0x3f) << 8
        height = Int(payload[8]) | Int(payload[9] & 0x3f) << 8
    }
}
