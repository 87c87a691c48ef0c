/// The query of a request target, decoded as forms are: `%41` is `A`, `+` is a space (WHATWG URL section 5.1).
struct HTTPQuery: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// Items after these are ignored.
    static let maximumItems = 256

    private(set) var items: [Item] = []

    init() {}

    /// The part of a target after the question mark. Bad percent sequences stand for themselves, bad UTF-8 is replaced.
    init(parsing text: Substring) {
        for pair in text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumItems) {
            guard items.count < Self.maximumItems else { break }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            items.append(Item(name: Self.decode(name), value: Self.decode(pair.dropFirst(name.count + 1))))
        }
    }

    /// The first value of that name; `nil` when there is none.
    subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

    private static func decode(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = hexPair(rest) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexPair(_ text: Substring.UTF8View) -> UInt8? {
        let digits = text.prefix(2).compactMap(hexValue)
        return digits.count == 2 ? digits[0] << 4 | digits[1] : nil
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
