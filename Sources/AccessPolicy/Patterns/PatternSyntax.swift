/// A regular expression as a tree. Bytes of ASCII only: a canonical URL has no others.
indirect enum PatternNode {
    case empty
    case bytes(ByteSet)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// `most` is nil where there is no end.
    case repeated(PatternNode, least: Int, most: Int?)
}

/// A set of ASCII bytes.
struct ByteSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    static let visible: ByteSet = {
        var set = ByteSet()
        set.insert(0x21...0x7E)
        return set
    }()
    static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let word: ByteSet = {
        var set = digits
        set.insert(UInt8(ascii: "a")...UInt8(ascii: "z"))
        set.insert(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        set.insert(UInt8(ascii: "_")...UInt8(ascii: "_"))
        return set
    }()

    init() {}
    init(_ range: ClosedRange<UInt8>) { insert(range) }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
    }

    var inverted: ByteSet {
        var set = ByteSet.visible
        set.low &= ~low
        set.high &= ~high
        return set
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    /// The only member; nil where there are others.
    var single: UInt8? {
        guard low.nonzeroBitCount + high.nonzeroBitCount == 1 else { return nil }
        return low != 0 ? UInt8(low.trailingZeroBitCount) : UInt8(64 + high.trailingZeroBitCount)
    }
}

/// Reads a regular expression: what every dialect has in common and a machine of finite states can decide. No look-around, no
/// references back.
struct PatternParser {
    private static let deepest = 32
    private static let mostRepetitions = 256

    private let text: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ text: [UInt8]) { self.text = text }

    static func parse(_ text: [UInt8]) throws(PatternFault) -> PatternNode {
        var text = text[...]
        // They say what holds anyway.
        if text.first == UInt8(ascii: "^") { text = text.dropFirst() }
        let backslashes = text.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        if text.last == UInt8(ascii: "$"), backslashes.isMultiple(of: 2) { text = text.dropLast() }
        var parser = PatternParser(Array(text))
        let node = try parser.choice()
        guard parser.position == parser.text.count else {
            throw .syntax("a closing parenthesis without an opening one")
        }
        return node
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(PatternFault) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw .tooLarge }
        var ways = [try sequence()]
        while take("|") { ways.append(try sequence()) }
        return ways.count == 1 ? ways[0] : .choice(ways)
    }

    private mutating func sequence() throws(PatternFault) -> PatternNode {
        var nodes: [PatternNode] = []
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            nodes.append(try repetition(of: try atom()))
        }
        return nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func atom() throws(PatternFault) -> PatternNode {
        let byte = text[position]
        position += 1
        switch Unicode.Scalar(byte) {
        case "(":
            if take("?"), !take(":") { throw .syntax("a group (?...) that is not (?:...)") }
            let inner = try choice()
            guard take(")") else { throw .syntax("an opening parenthesis without a closing one") }
            return inner
        case "[": return .bytes(try set())
        case ".": return .bytes(.visible)
        case "\\": return .bytes(try escaped())
        case "*", "+", "?", "{": throw .syntax("a repetition of nothing")
        case "^", "$": throw .syntax("an anchor inside; a pattern always matches the whole URL")
        default: return .bytes(ByteSet(byte...byte))
        }
    }

    private mutating func escaped() throws(PatternFault) -> ByteSet {
        guard let byte = next else { throw .syntax("a backslash at the end") }
        position += 1
        switch Unicode.Scalar(byte) {
        case "d": return .digits
        case "D": return ByteSet.digits.inverted
        case "w": return .word
        case "W": return ByteSet.word.inverted
        default:
            guard !ByteSet.word.contains(byte) || byte == UInt8(ascii: "_") else {
                throw .syntax("\\\(Unicode.Scalar(byte)), which has no meaning here")
            }
            return ByteSet(byte...byte)
        }
    }

    private mutating func set() throws(PatternFault) -> ByteSet {
        let isInverted = take("^")
        var set = ByteSet()
        var isFirst = true
        while let byte = next, isFirst || byte != UInt8(ascii: "]") {
            isFirst = false
            let member = try setMember()
            guard let from = member.single, next == UInt8(ascii: "-"), position + 1 < text.count,
                text[position + 1] != UInt8(ascii: "]")
            else {
                set.formUnion(member)
                continue
            }
            position += 1
            guard let until = try setMember().single, until >= from else { throw .syntax("a range that has no end") }
            set.insert(from...until)
        }
        guard take("]") else { throw .syntax("an opening bracket without a closing one") }
        return isInverted ? set.inverted : set
    }

    private mutating func setMember() throws(PatternFault) -> ByteSet {
        guard let byte = next else { throw .syntax("an opening bracket without a closing one") }
        position += 1
        return byte == UInt8(ascii: "\\") ? try escaped() : ByteSet(byte...byte)
    }

    private mutating func repetition(of node: PatternNode) throws(PatternFault) -> PatternNode {
        var (least, most): (Int, Int?) = (1, 1)
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if take("{") {
            (least, most) = try bounds()
        } else {
            return node
        }
        // Greedy or not: of a whole URL it is the same.
        _ = take("?")
        if let next, "*+?{".utf8.contains(next) { throw .syntax("a repetition of a repetition") }
        return .repeated(node, least: least, most: most)
    }

    private mutating func bounds() throws(PatternFault) -> (Int, Int?) {
        guard let least = number() else { throw .syntax("an opening brace without a number") }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}"), most ?? least >= least else { throw .syntax("braces that are no {2}, {2,} or {2,5}") }
        guard max(least, most ?? 0) <= Self.mostRepetitions else { throw .tooLarge }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let begin = position
        while let byte = next, ByteSet.digits.contains(byte), position - begin < 6 { position += 1 }
        return Int(String(decoding: text[begin..<position], as: UTF8.self))
    }
}
