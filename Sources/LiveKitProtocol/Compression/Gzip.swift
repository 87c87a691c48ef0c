import CZlib

/// Reads and writes gzip (RFC 1952): one member, with a bound on what comes out.
package enum Gzip {
    /// Writes a member, by zlib; nil where zlib has no memory.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_gzip_init(&stream) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            var isComplete = false
            let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: room)
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = room - Int(stream.avail_out)
            }
            return isComplete ? output : nil
        }
    }

    /// - Parameter limit: most bytes to give.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(InflateError) -> [UInt8] {
        let start = try headerLength(bytes)
        let (output, end) = try Inflate.decompress(bytes, from: start, limit: limit)
        guard end + 8 <= bytes.count else { throw .truncated }
        guard number(bytes, at: end) == crc32(output),
            number(bytes, at: end + 4) == UInt32(truncatingIfNeeded: output.count)
        else { throw .checksumMismatch }
        return output
    }

    /// Section 2.3.
    private static func headerLength(_ bytes: [UInt8]) throws(InflateError) -> Int {
        guard bytes.count >= 18 else { throw .truncated }
        guard bytes[0] == 0x1f, bytes[1] == 0x8b, bytes[2] == 8 else { throw .invalidHeader }
        let flags = bytes[3]
        var position = 10
        if flags & 4 != 0 { position += 2 + Int(bytes[10]) + Int(bytes[11]) << 8 }
        // File name and comment end with a zero.
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            while position < bytes.count, bytes[position] != 0 { position += 1 }
            position += 1
        }
        if flags & 2 != 0 { position += 2 }
        guard position < bytes.count else { throw .truncated }
        return position
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }

    /// Section 8.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xffff_ffff
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xedb8_8320) }
        }
        return ~crc
    }
}
