/// A certificate's hash, `<function> <hex>:<hex>:...` (RFC 8122 section 5).
package struct SDPFingerprint: Hashable, Sendable {
    /// Lower-case name of the hash function, for example `sha-256`.
    package var algorithm: String
    /// The hash, 1...64 bytes.
    package var value: [UInt8]

    package init(algorithm: String, value: [UInt8]) {
        self.algorithm = algorithm
        self.value = value
    }

    /// Nil for a hash that is not pairs of hexadecimal digits with colons between, or of the wrong length for a function
    /// of RFC 8122.
    package init?(parsing text: String) {
        let parts = text.fields()
        guard parts.count == 2 else { return nil }
        algorithm = parts[0].asciiLowercased
        value = []
        for pair in parts[1].fields(separator: UInt8(ascii: ":"), limit: 65) {
            // Two digits: a number may have a sign, a hash may not.
            guard pair.utf8.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else {
                return nil
            }
            value.append(byte)
        }
        guard !value.isEmpty, value.count <= 64 else { return nil }
        if let length = SDPFingerprint.lengths[algorithm], length != value.count { return nil }
    }

    private static let lengths = ["sha-1": 20, "sha-224": 28, "sha-256": 32, "sha-384": 48, "sha-512": 64]
}

extension SDPFingerprint: CustomStringConvertible {
    package var description: String {
        let digits: [Unicode.Scalar] = Array("0123456789ABCDEF".unicodeScalars)
        var text = algorithm
        var separator: Unicode.Scalar = " "
        for byte in value {
            text.unicodeScalars.append(separator)
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
            separator = ":"
        }
        return text
    }
}
