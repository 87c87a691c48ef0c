/// A canonical Huffman code (RFC 1951 section 3.2.2), decoded bit by bit from the counts of codes per length.
struct HuffmanCode {
    private var counts = [Int](repeating: 0, count: 16)
    private var symbols: [UInt16]

    /// - Parameter lengths: code length per symbol, 0...15; 0 for symbols that don't occur.
    init(lengths: ArraySlice<UInt8>) throws(InflateError) {
        symbols = [UInt16](repeating: 0, count: lengths.count)
        for length in lengths { counts[Int(length & 15)] += 1 }
        counts[0] = 0
        var offsets = [Int](repeating: 0, count: 16)
        var left = 1
        for length in 1..<16 {
            left = left * 2 - counts[length]
            guard left >= 0 else { throw .invalidCode }
            if length < 15 { offsets[length + 1] = offsets[length] + counts[length] }
        }
        for (symbol, length) in lengths.enumerated() where length != 0 {
            symbols[offsets[Int(length)]] = UInt16(symbol)
            offsets[Int(length)] += 1
        }
    }

    func decode(_ reader: inout BitReader) throws(InflateError) -> Int {
        var code = 0
        var first = 0
        var index = 0
        for length in 1..<16 {
            code |= try reader.bits(1)
            let count = counts[length]
            if code - count < first { return Int(symbols[index + code - first]) }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .invalidCode
    }

    /// The fixed code of literals and lengths, section 3.2.6.
    static func fixedLiterals() throws(InflateError) -> HuffmanCode {
        var lengths = [UInt8](repeating: 8, count: 288)
        for symbol in 144..<256 { lengths[symbol] = 9 }
        for symbol in 256..<280 { lengths[symbol] = 7 }
        return try HuffmanCode(lengths: lengths[...])
    }

    static func fixedDistances() throws(InflateError) -> HuffmanCode {
        try HuffmanCode(lengths: [UInt8](repeating: 5, count: 30)[...])
    }
}

/// Bits of a byte string, the least significant first.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var position: Int
    private var buffer = 0
    private var available = 0

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next `count` bits, 0...16.
    mutating func bits(_ count: Int) throws(InflateError) -> Int {
        while available < count {
            buffer |= Int(try nextByte()) << available
            available += 8
        }
        defer {
            buffer >>= count
            available -= count
        }
        return buffer & ((1 << count) - 1)
    }

    /// Drops the rest of the present byte.
    mutating func align() {
        buffer = 0
        available = 0
    }

    mutating func nextByte() throws(InflateError) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }
}
