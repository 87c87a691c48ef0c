/// Percent-encoding of path segments (RFC 3986 section 2.1) and of forms (WHATWG URL section 5).
enum PercentEncoding {
    /// The text of a path segment; nil where an escape is broken or the bytes are no UTF-8.
    static func decodeSegment(_ text: some StringProtocol) -> String? { decode(text.utf8, plusIsBlank: false) }

    /// The pairs of a form, in order; nil where one can't be decoded or there are more than `limit`.
    static func decodeForm(_ text: some StringProtocol, limit: Int) -> [(name: String, value: String)]? {
        var result: [(name: String, value: String)] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: limit) {
            guard result.count < limit else { return nil }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair.dropFirst(name.count + 1)
            guard let name = decode(name, plusIsBlank: true), let value = decode(value, plusIsBlank: true)
            else { return nil }
            result.append((name, value))
        }
        return result
    }

    /// A form as server SDKs write it: blanks become plus signs.
    static func encodeForm(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else if byte == 0x20 {
                result.append(UInt8(ascii: "+"))
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(contentsOf: [byte >> 4, byte & 15].map { hexDigits[Int($0)] })
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func decode(_ text: some Sequence<UInt8>, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
