/// Base64 in both alphabets (RFC 4648 sections 4 and 5).
enum Base64 {
    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafe = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The standard alphabet, padded.
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text = encode(bytes, standard)
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        return String(decoding: text, as: UTF8.self)
    }

    /// URL-safe and without padding.
    static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encode(bytes, urlSafe), as: UTF8.self)
    }

    private static func encode(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                result.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return result
    }

    /// Decodes either alphabet, padded or not; nil for anything else.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)
        var padding = 0
        while characters.last == UInt8(ascii: "="), padding < 2 {
            characters.removeLast()
            padding += 1
        }
        guard characters.count % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in characters {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return result
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
