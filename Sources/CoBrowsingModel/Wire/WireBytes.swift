/// Reads a message from the front, big-endian; throws where it ends too soon.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() throws(CoBrowsingWireError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw CoBrowsingWireError("the message ends too soon") }
        return byte
    }

    mutating func short() throws(CoBrowsingWireError) -> Int {
        let high = try byte()
        return Int(high) << 8 | Int(try byte())
    }

    mutating func word() throws(CoBrowsingWireError) -> UInt32 {
        let high = try short()
        return UInt32(high) << 16 | UInt32(try short())
    }

    /// A length of one byte, and so many bytes of UTF-8.
    mutating func text() throws(CoBrowsingWireError) -> String {
        let length = Int(try byte())
        guard rest.count >= length else { throw CoBrowsingWireError("a text ends too soon") }
        guard let text = String(validating: rest.prefix(length), as: UTF8.self) else {
            throw CoBrowsingWireError("a text is no UTF-8")
        }
        rest = rest.dropFirst(length)
        return text
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

extension [UInt8] {
    mutating func put(short value: Int) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func put(word value: UInt32) {
        put(short: Int(value >> 16))
        put(short: Int(value & 0xFFFF))
    }

    /// As much of the text as fits into 255 bytes.
    mutating func put(text: String) {
        var text = text
        while text.utf8.count > CoBrowsingBounds.nameBytes { text.removeLast() }
        append(UInt8(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
