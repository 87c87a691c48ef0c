/// How large a compressed tile says it is, read before anything is decoded: whatever claims another size than its tile has is
/// never given to a decoder. Forms that decode to far more than they show are not taken at all: JPEG in several scans
/// (progressive), interlaced PNG, WebP with animations or other extensions.
package struct TileImageHeader: Sendable, Hashable {
    package let width: Int
    package let height: Int

    /// Nil where the bytes are no picture of that format in a form that is taken.
    package init?(_ format: TileFormat, _ bytes: [UInt8]) {
        let size: (Int, Int)? =
            switch format {
            case .jpeg: Self.jpeg(bytes)
            case .png: Self.png(bytes)
            case .webp: Self.webp(bytes)
            }
        guard let size, size.0 > 0, size.1 > 0 else { return nil }
        (width, height) = size
    }

    /// ITU-T T.81 annex B: markers up to the frame header, which must be baseline (SOF0) with eight bits.
    private static func jpeg(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            let marker = bytes[at + 1]
            let length = bytes.short(at + 2)
            guard length >= 2, at + 2 + length <= bytes.count else { return nil }
            switch marker {
            case 0xC0:
                guard length >= 8, bytes[at + 4] == 8 else { return nil }
                return (bytes.short(at + 7), bytes.short(at + 5))
            // Tables, restart interval, application data, comments.
            case 0xC4, 0xDB, 0xDD, 0xE0...0xEF, 0xFE: at += 2 + length
            default: return nil
            }
        }
        return nil
    }

    /// PNG (ISO/IEC 15948) section 11.2.2: IHDR comes first.
    private static func png(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 33, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            bytes[8..<16].elementsEqual([0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]),
            // Eight bits, true colour with or without alpha, no interlacing.
            bytes[24] == 8, bytes[25] == 2 || bytes[25] == 6, bytes[26] == 0, bytes[27] == 0, bytes[28] == 0,
            bytes.short(16) == 0, bytes.short(20) == 0
        else { return nil }
        return (bytes.short(18), bytes.short(22))
    }

    /// RFC 9649 section 2.5 and 2.6: the simple forms, lossy (RFC 6386 section 9.1) and lossless (section 3.4).
    private static func webp(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 30, bytes.starts(with: [0x52, 0x49, 0x46, 0x46]),
            bytes[8..<12].elementsEqual([0x57, 0x45, 0x42, 0x50])
        else { return nil }
        if bytes[12..<16].elementsEqual([0x56, 0x50, 0x38, 0x20]) {
            guard bytes[20] & 1 == 0, bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            return (bytes.littleShort(26) & 0x3FFF, bytes.littleShort(28) & 0x3FFF)
        }
        guard bytes[12..<16].elementsEqual([0x56, 0x50, 0x38, 0x4C]), bytes[20] == 0x2F else { return nil }
        let bits = bytes.littleShort(21) | bytes.littleShort(23) << 16
        return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
}

extension [UInt8] {
    /// Big-endian; within bounds by what was checked before.
    fileprivate func short(_ at: Int) -> Int { Int(self[at]) << 8 | Int(self[at + 1]) }
    fileprivate func littleShort(_ at: Int) -> Int { Int(self[at + 1]) << 8 | Int(self[at]) }
}
