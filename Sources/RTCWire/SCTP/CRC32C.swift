/// CRC-32C (Castagnoli), SCTP's checksum: RFC 9260 section 6.8 and appendix A.
package enum CRC32C {
    /// The checksum over all bytes, those in `zeroed` counted as zero: the place where the checksum itself stands.
    ///
    /// In the order in which SCTP stores it, the number is little-endian.
    package static func checksum(_ bytes: RawSpan, zeroed: Range<Int> = 0..<0) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var crc: UInt32 = 0xffff_ffff
            var index = 0
            let count = bytes.byteCount
            while index < count {
                if count - index >= 8, index >= zeroed.upperBound || index + 8 <= zeroed.lowerBound {
                    crc = step8(crc, bytes.uint64(index), table)
                    index += 8
                } else {
                    let byte = zeroed.contains(index) ? 0 : bytes.byte(index)
                    crc = table[Int((crc ^ UInt32(byte)) & 0xff)] ^ crc >> 8
                    index += 1
                }
            }
            return ~crc
        }
    }

    /// Eight bytes at once: one lookup in each of eight tables.
    @inline(__always)
    private static func step8(
        _ crc: UInt32, _ bigEndian: UInt64, _ table: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        let word: UInt64 = bigEndian.byteSwapped ^ UInt64(crc)
        var result: UInt32 = 0
        for lane in 0..<8 {
            let shifted: UInt64 = word >> UInt64(8 * lane)
            let byte = Int(UInt8(truncatingIfNeeded: shifted))
            let entry: Int = (7 - lane) * 256 + byte
            result ^= table[entry]
        }
        return result
    }

    /// 256 entries for a byte with 0...7 zero bytes after it, of the reflected polynomial 0x82F63B78.
    private static let table: [UInt32] = {
        var table: [UInt32] = []
        for seed in UInt32(0)..<256 {
            var crc = seed
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0x82f6_3b78 ^ crc >> 1 : crc >> 1 }
            table.append(crc)
        }
        for index in 256..<2048 {
            let before: UInt32 = table[index - 256]
            let low = Int(before & 0xff)
            table.append(table[low] ^ before >> 8)
        }
        return table
    }()
}
