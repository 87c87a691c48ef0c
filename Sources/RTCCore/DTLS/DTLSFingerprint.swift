import CCrypto

/// A certificate's fingerprint as it stands in `a=fingerprint`, RFC 8122 section 5.
package struct DTLSFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The hash function: "sha-256", lower case.
    package let algorithm: String
    /// The digest; its length fits the algorithm.
    package let value: [UInt8]

    /// Nil where the algorithm is unknown or the value has the wrong length.
    package init?(algorithm: String, value: [UInt8]) {
        let name = algorithm.lowercased()
        guard DTLSFingerprint.digestLength(name) == value.count else { return nil }
        self.algorithm = name
        self.value = value
    }

    /// Reads the value of an `a=fingerprint` line: `sha-256 AB:CD:...`, either case. Nil for an unknown algorithm
    /// (we know sha-1, sha-224, sha-256, sha-384, sha-512) or a malformed value.
    package init?(parsing line: String) {
        let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard parts.count == 2 else { return nil }
        var value: [UInt8] = []
        for octet in parts[1].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            guard octet.count == 2, let high = octet.first.flatMap(DTLSFingerprint.nibble),
                let low = octet.last.flatMap(DTLSFingerprint.nibble)
            else { return nil }
            value.append(high << 4 | low)
        }
        self.init(algorithm: String(parts[0]), value: value)
    }

    /// The SDP form: lower-case algorithm, upper-case octets.
    package var description: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(3 * value.count)
        for byte in value {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return algorithm + " " + String(decoding: text, as: UTF8.self)
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func digestLength(_ name: String) -> Int? {
        switch name {
        case "sha-1": 20
        case "sha-224": 28
        case "sha-256": 32
        case "sha-384": 48
        case "sha-512": 64
        default: nil
        }
    }
}

extension DTLSFingerprint {
    /// The SHA-256 fingerprint of a certificate in DER.
    init?(sha256Of der: [UInt8]) {
        guard let value = DTLSFingerprint.digest(der, EVP_sha256()) else { return nil }
        self.init(algorithm: "sha-256", value: value)
    }

    /// Whether this is the fingerprint of a certificate in DER. Reads nothing of it.
    func matches(der: [UInt8]) -> Bool {
        let function =
            switch algorithm {
            case "sha-1": EVP_sha1()
            case "sha-224": EVP_sha224()
            case "sha-256": EVP_sha256()
            case "sha-384": EVP_sha384()
            default: EVP_sha512()
            }
        guard let digest = DTLSFingerprint.digest(der, function), digest.count == value.count else { return false }
        return CRYPTO_memcmp(digest, value, value.count) == 0
    }

    /// Whether this is the fingerprint of an `X509 *`.
    func matches(_ certificate: OpaquePointer) -> Bool {
        DTLSCertificate.encode(certificate).map(matches(der:)) ?? false
    }

    private static func digest(_ der: [UInt8], _ function: OpaquePointer?) -> [UInt8]? {
        var succeeded = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
            var length: UInt32 = 0
            succeeded = EVP_Digest(der, der.count, output.baseAddress, &length, function, nil) == 1
            count = succeeded ? Int(length) : 0
        }
        return succeeded ? bytes : nil
    }
}
