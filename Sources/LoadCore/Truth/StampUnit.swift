/// A stamp in an H.264 access unit: an SEI unit with user data (ITU-T H.264 annex D, `user_data_unregistered`), which decoders
/// pass over. Its bytes are halved, so that they look like no start code and need no escape.
///
/// ```
/// 00 00 00 01 | 06 | 05 | size | UUID (16) | two bytes of 0x4n for each of the stamp | 80
/// ```
package enum StampUnit {
    private static let head: [UInt8] = [
        0, 0, 0, 1, 6, 5, UInt8(16 + 2 * MediaStamp.length),
        // Drawn at random for this purpose.
        0x8d, 0x1f, 0x4a, 0x63, 0xe2, 0x97, 0x4c, 0x35, 0xb8, 0x5e, 0x71, 0xd4, 0x0a, 0xc9, 0x26, 0xf7,
    ]
    /// Bytes, with the start code.
    package static let length = head.count + 2 * MediaStamp.length + 1

    static func append(_ stamp: MediaStamp, to frame: inout [UInt8]) {
        frame += head
        var bytes: [UInt8] = []
        stamp.append(to: &bytes)
        for byte in bytes {
            frame.append(0x40 | byte >> 4)
            frame.append(0x40 | byte & 15)
        }
        frame.append(0x80)
    }

    /// The stamp in the first unit of a frame; nil where it is another one.
    static func read(_ frame: UnsafeRawBufferPointer) -> MediaStamp? {
        guard frame.count >= length, frame.prefix(head.count).elementsEqual(head) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: MediaStamp.length, alignment: 8) { bytes in
            for index in 0..<MediaStamp.length {
                let (high, low) = (frame[head.count + 2 * index], frame[head.count + 2 * index + 1])
                guard high & 0xf0 == 0x40, low & 0xf0 == 0x40 else { return nil }
                bytes[index] = (high & 15) << 4 | low & 15
            }
            return MediaStamp(endOf: UnsafeRawBufferPointer(bytes))
        }
    }
}
