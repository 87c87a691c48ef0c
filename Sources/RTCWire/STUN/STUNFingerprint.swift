/// FINGERPRINT, RFC 8489 section 14.7: CRC-32 (ITU V.42) of the message before it, XORed with "STUN".
enum STUNFingerprint {
    static let mask: UInt32 = 0x5354_554e

    /// The attribute's value over the first `count` bytes, taking `length` for the header's length field.
    static func value(of bytes: RawSpan, count: Int, length: UInt16) -> UInt32 {
        var crc: UInt32 = 0xffff_ffff
        for index in 0..<min(count, bytes.byteCount) {
            let byte: UInt8 =
                switch index {
                case 2: UInt8(truncatingIfNeeded: length >> 8)
                case 3: UInt8(truncatingIfNeeded: length)
                default: bytes.byte(index)
                }
            crc = table[Int((crc ^ UInt32(byte)) & 0xff)] ^ crc >> 8
        }
        return ~crc ^ mask
    }

    /// The reflected polynomial 0xEDB88320 applied to each byte value.
    private static let table: [UInt32] = (0..<256).map { seed in
        (0..<8).reduce(UInt32(seed)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
    }
}
