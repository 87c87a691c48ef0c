/// Why bytes are no JSON document.
package struct JSONFault: Error, Hashable, CustomStringConvertible {
    /// The first byte that has no place where it is.
    package var offset: Int
    package var problem: String

    package var description: String { "no valid JSON at byte \(offset): \(problem)" }
}

/// Reads one JSON document (RFC 8259), no more and no less.
struct JSONReader {
    /// Arrays and objects in one another.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONFault) -> JSON {
        let value = try value(0)
        skipBlanks()
        guard position == bytes.count else { throw fault("the document ends before") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ problem: String) -> JSONFault {
        JSONFault(offset: min(position, bytes.count), problem: problem)
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(_ depth: Int) throws(JSONFault) -> JSON {
        guard depth < Self.maximumDepth else { throw fault("more than \(Self.maximumDepth) levels") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth))
        case UInt8(ascii: "["): return .array(try elements(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Of equal names the last one counts.
    private mutating func members(_ depth: Int) throws(JSONFault) -> [String: JSON] {
        position += 1
        var result: [String: JSON] = [:]
        skipBlanks()
        if take(UInt8(ascii: "}")) { return result }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw fault("a name in quotation marks is missing") }
            let name = try string()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon is missing") }
            result[name] = try value(depth + 1)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("a comma or } is missing") }
        return result
    }

    private mutating func elements(_ depth: Int) throws(JSONFault) -> [JSON] {
        position += 1
        var result: [JSON] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return result }
        repeat {
            result.append(try value(depth + 1))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("a comma or ] is missing") }
        return result
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
        for byte in word.description.utf8 {
            guard take(byte) else { throw fault("no such word; write true, false, null or a string") }
        }
        return value
    }
}

// MARK: - Strings and numbers

extension JSONReader {
    /// Section 7.
    private mutating func string() throws(JSONFault) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let result = String(validating: text, as: UTF8.self) else { throw fault("no UTF-8") }
                return result
            case UInt8(ascii: "\\"): try escape(into: &text)
            default: text.append(byte)
            }
        }
        throw fault("a string does not end, or holds a control character")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let letter = next else { throw fault("an escape does not end") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default: throw fault("no such escape")
        }
    }

    /// Behind `\u`: one unit of UTF-16, or two that make a pair. A half of a pair becomes the replacement character.
    private mutating func scalar() throws(JSONFault) -> Character {
        let first = try hexUnit()
        guard (0xd800..<0xdc00).contains(first) else { return Character(Unicode.Scalar(first) ?? "\u{fffd}") }
        let rest = bytes[position...].prefix(2)
        guard rest.elementsEqual("\\u".utf8) else { return "\u{fffd}" }
        let start = position
        position += 2
        let second = try hexUnit()
        guard (0xdc00..<0xe000).contains(second) else {
            position = start
            return "\u{fffd}"
        }
        let value = 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
        return Character(Unicode.Scalar(value) ?? "\u{fffd}")
    }

    private mutating func hexUnit() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(PercentEncoding.hexValue) else {
                throw fault("four hexadecimal digits are missing")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// Section 6.
    private mutating func number() throws(JSONFault) -> JSON {
        let start = position
        var isWhole = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw fault("a number is too large") }
        return .number(value)
    }

    private mutating func digits() throws(JSONFault) {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw fault("neither a value nor a digit") }
    }
}

extension JSON {
    /// Reads a whole document. Of equal names the last one counts.
    package init(parsing bytes: some Sequence<UInt8>) throws(JSONFault) {
        var reader = JSONReader(Array(bytes))
        self = try reader.document()
    }
}
