/// Reads numbers of any width from the most significant bit on.
struct BitReader {
    /// Bits read so far.
    private(set) var position: Int
    private let end: Int

    /// Reads the whole of `bytes`, from bit `position` on.
    init(_ bytes: RawSpan, at position: Int = 0) {
        self.position = position
        end = bytes.byteCount * 8
    }

    /// The next `count` bits, 0...32, as a number.
    ///
    /// - Throws: `truncated` where there are not so many.
    mutating func bits(_ count: Int, in bytes: RawSpan) throws(WireError) -> UInt32 {
        guard count <= end - position else { throw .truncated }
        var value: UInt32 = 0
        for _ in 0..<count {
            value = value << 1 | UInt32(bytes.byte(position >> 3) >> UInt8(7 - position & 7) & 1)
            position += 1
        }
        return value
    }

    /// The next bit.
    mutating func flag(in bytes: RawSpan) throws(WireError) -> Bool { try bits(1, in: bytes) != 0 }

    /// A number below `limit` in as few bits as that needs, ns(n) of the AV1 specification section 4.10.7.
    mutating func number(below limit: Int, in bytes: RawSpan) throws(WireError) -> Int {
        guard limit > 1 else { return 0 }
        let width = Int.bitWidth - limit.leadingZeroBitCount
        let short = (1 << width) - limit
        let value = Int(try bits(width - 1, in: bytes))
        guard value >= short else { return value }
        return value << 1 - short + Int(try bits(1, in: bytes))
    }
}
