/// Reads the presentation language of TLS, RFC 5246 section 4: numbers in network order, vectors with a length before
/// them. For handshake messages alone, which are few and small: every read copies.
struct TLSReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        position = 0
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// Throws `.invalidLength` where something is left.
    func expectEnd() throws(WireError) {
        guard isAtEnd else { throw .invalidLength }
    }

    mutating func uint8() throws(WireError) -> UInt8 { try UInt8(number(1)) }
    mutating func uint16() throws(WireError) -> UInt16 { try UInt16(number(2)) }
    mutating func uint24() throws(WireError) -> Int { try number(3) }

    /// The next `count` bytes.
    mutating func take(_ count: Int) throws(WireError) -> [UInt8] {
        guard count <= bytes.endIndex - position else { throw .truncated }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    /// A vector whose length stands in `lengthBytes` bytes before it.
    mutating func vector(_ lengthBytes: Int) throws(WireError) -> [UInt8] { try take(number(lengthBytes)) }

    /// A vector of 16-bit numbers, with the same.
    mutating func numbers(_ lengthBytes: Int) throws(WireError) -> [UInt16] {
        let raw = try vector(lengthBytes)
        guard raw.count & 1 == 0 else { throw .invalidLength }
        return stride(from: 0, to: raw.count, by: 2).map { UInt16(raw[$0]) << 8 | UInt16(raw[$0 + 1]) }
    }

    private mutating func number(_ count: Int) throws(WireError) -> Int {
        guard count <= bytes.endIndex - position else { throw .truncated }
        var value = 0
        for _ in 0..<count {
            value = value << 8 | Int(bytes[position])
            position += 1
        }
        return value
    }
}

// Writing the same. What is written is ours, so a length always fits its field.
extension [UInt8] {
    mutating func append24(_ value: Int) {
        append(UInt8(truncatingIfNeeded: value >> 16))
        append16(UInt16(truncatingIfNeeded: value))
    }

    /// A vector with its length in `lengthBytes` bytes before it.
    mutating func appendVector(_ content: [UInt8], _ lengthBytes: Int) {
        for shift in (0..<lengthBytes).reversed() { append(UInt8(truncatingIfNeeded: content.count >> (8 * shift))) }
        append(contentsOf: content)
    }

    /// A vector of 16-bit numbers.
    mutating func appendNumbers(_ numbers: [UInt16], _ lengthBytes: Int) {
        var content: [UInt8] = []
        for number in numbers { content.append16(number) }
        appendVector(content, lengthBytes)
    }
}
