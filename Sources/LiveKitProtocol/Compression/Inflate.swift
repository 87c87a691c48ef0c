/// Reads DEFLATE streams (RFC 1951), with a bound on what comes out.
package enum Inflate {
    /// Decompresses the stream that begins at `start`. Gives the bytes and where the stream ends.
    package static func decompress(
        _ bytes: [UInt8], from start: Int = 0, limit: Int
    ) throws(InflateError) -> (output: [UInt8], end: Int) {
        var reader = BitReader(bytes, from: start)
        var output: [UInt8] = []
        var isLast = false
        while !isLast {
            isLast = try reader.bits(1) == 1
            switch try reader.bits(2) {
            case 0: try copyStored(&reader, &output, limit)
            case 1: try expand(&reader, try .fixedLiterals(), try .fixedDistances(), &output, limit)
            case 2:
                let (literals, distances) = try readCodes(&reader)
                try expand(&reader, literals, distances, &output, limit)
            default: throw .invalidBlock
            }
        }
        return (output, reader.position)
    }

    /// Section 3.2.4.
    private static func copyStored(
        _ reader: inout BitReader, _ output: inout [UInt8], _ limit: Int
    ) throws(InflateError) {
        reader.align()
        let length = Int(try reader.nextByte()) | Int(try reader.nextByte()) << 8
        let complement = Int(try reader.nextByte()) | Int(try reader.nextByte()) << 8
        guard length == ~complement & 0xffff else { throw .invalidBlock }
        guard output.count + length <= limit else { throw .tooLarge }
        for _ in 0..<length { output.append(try reader.nextByte()) }
    }

    /// Literals, and copies of what came before, until the end of the block; section 3.2.5.
    private static func expand(
        _ reader: inout BitReader, _ literals: HuffmanCode, _ distances: HuffmanCode, _ output: inout [UInt8],
        _ limit: Int
    ) throws(InflateError) {
        while true {
            let symbol = try literals.decode(&reader)
            if symbol == 256 { return }
            if symbol < 256 {
                guard output.count < limit else { throw .tooLarge }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < lengthBases.count else { throw .invalidCode }
            let length = lengthBases[symbol - 257] + (try reader.bits(lengthExtras[symbol - 257]))
            let code = try distances.decode(&reader)
            guard code < distanceBases.count else { throw .invalidCode }
            let distance = distanceBases[code] + (try reader.bits(code < 2 ? 0 : code / 2 - 1))
            guard distance <= output.count else { throw .invalidDistance }
            guard output.count + length <= limit else { throw .tooLarge }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    /// The codes that a block brings along, section 3.2.7.
    private static func readCodes(
        _ reader: inout BitReader
    ) throws(InflateError) -> (literals: HuffmanCode, distances: HuffmanCode) {
        let literalCount = try reader.bits(5) + 257
        let distanceCount = try reader.bits(5) + 1
        let codeCount = try reader.bits(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .invalidCode }
        var codeLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<codeCount { codeLengths[codeOrder[index]] = UInt8(try reader.bits(3)) }
        let code = try HuffmanCode(lengths: codeLengths[...])
        var lengths: [UInt8] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try code.decode(&reader)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw .invalidCode }
                lengths += [UInt8](repeating: last, count: try reader.bits(2) + 3)
            case 17: lengths += [UInt8](repeating: 0, count: try reader.bits(3) + 3)
            case 18: lengths += [UInt8](repeating: 0, count: try reader.bits(7) + 11)
            default: lengths.append(UInt8(symbol))
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw .invalidCode }
        return (try HuffmanCode(lengths: lengths[..<literalCount]), try HuffmanCode(lengths: lengths[literalCount...]))
    }

    private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthExtras = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
}
