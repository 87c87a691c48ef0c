import Foundation

/// Base64 in both alphabets (RFC 4648 sections 4 and 5), padded or not: clients differ.
package enum Base64 {
    /// URL-safe and without padding, as tokens have it.
    package static func encodeURL(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: urlBytes(bytes).prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// URL-safe, and padded.
    package static func encodePaddedURL(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: urlBytes(bytes), as: UTF8.self)
    }

    private static func urlBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        Data(bytes).base64EncodedData().map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
    }

    /// The standard alphabet, padded.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

    /// Decodes either alphabet; `nil` for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4))
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }
}
