/// Checks that bytes are one JSON document (RFC 8259), no more and no less. The decoder at hand also takes a comma behind
/// the last element, which the next reader of the same document may refuse. Nothing is nested deeper than
/// `maximumDepth`.
struct JSONGrammar {
    private struct Fault: Error {}

    private static let maximumDepth = 128
    private let bytes: [UInt8]
    private var position = 0

    /// The offset of the first byte that has no place where it stands; nil where all have.
    static func fault(in bytes: [UInt8]) -> Int? {
        var grammar = JSONGrammar(bytes: bytes)
        do throws(Fault) {
            try grammar.value(0)
            grammar.skipBlanks()
            return grammar.position == bytes.count ? nil : grammar.position
        } catch {
            return min(grammar.position, bytes.count)
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Fault) {
        guard next == UInt8(ascii: character) else { throw Fault() }
        position += 1
    }

    private mutating func takeIf(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(_ depth: Int) throws(Fault) {
        guard depth < Self.maximumDepth else { throw Fault() }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): try members(depth)
        case UInt8(ascii: "["): try elements(depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func members(_ depth: Int) throws(Fault) {
        try take("{")
        skipBlanks()
        if takeIf("}") { return }
        repeat {
            skipBlanks()
            try string()
            skipBlanks()
            try take(":")
            try value(depth + 1)
            skipBlanks()
        } while takeIf(",")
        try take("}")
    }

    private mutating func elements(_ depth: Int) throws(Fault) {
        try take("[")
        skipBlanks()
        if takeIf("]") { return }
        repeat {
            try value(depth + 1)
            skipBlanks()
        } while takeIf(",")
        try take("]")
    }

    private mutating func word(_ word: String) throws(Fault) {
        for byte in word.utf8 {
            guard next == byte else { throw Fault() }
            position += 1
        }
    }

    private mutating func string() throws(Fault) {
        try take("\"")
        while let byte = next, byte >= 0x20 {
            position += 1
            if byte == UInt8(ascii: "\"") { return }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard let escaped = next else { break }
            position += 1
            if escaped == UInt8(ascii: "u") {
                for _ in 0..<4 { try hexDigit() }
            } else if !"\"\\/bfnrt".utf8.contains(escaped) {
                position -= 1
                break
            }
        }
        throw Fault()
    }

    private mutating func hexDigit() throws(Fault) {
        guard let byte = next, "0123456789abcdefABCDEF".utf8.contains(byte) else { throw Fault() }
        position += 1
    }

    /// Section 6.
    private mutating func number() throws(Fault) {
        _ = takeIf("-")
        if !takeIf("0") { try digits() }
        if takeIf(".") { try digits() }
        if takeIf("e") || takeIf("E") {
            if !takeIf("+") { _ = takeIf("-") }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw Fault() }
    }
}
