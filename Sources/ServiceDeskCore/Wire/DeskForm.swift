/// Names and values of a form or a query (WHATWG URL section 5): `%41` is `A`, `+` is a space. Stricter than browsers: bad
/// sequences, bad UTF-8 and repeated names are no form.
package struct DeskForm: Sendable, Hashable {
    /// Further ones make it no form.
    package static let largest = 64

    package private(set) var values: [String: String] = [:]

    package init() {}

    /// Nil where the bytes are no form.
    package init?(_ bytes: some Collection<UInt8>) {
        let pairs = bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.largest, omittingEmptySubsequences: true)
        guard pairs.count <= Self.largest else { return nil }
        for pair in pairs {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let key = Self.decode(name), let value = Self.decode(pair.dropFirst(name.count + 1)),
                values.updateValue(value, forKey: key) == nil
            else { return nil }
        }
    }

    package subscript(name: String) -> String? { values[name] }

    /// The form of pairs, in their order.
    package static func text(_ pairs: [(String, String)]) -> String {
        pairs.map { encode($0.0) + "=" + encode($0.1) }.joined(separator: "&")
    }

    private static func decode(_ bytes: some Collection<UInt8>) -> String? {
        var result: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hex), let low = iterator.next().flatMap(hex) else {
                    return nil
                }
                result.append(high << 4 | low)
            default: result.append(byte)
            }
        }
        return String(validating: result, as: UTF8.self)
    }

    private static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
