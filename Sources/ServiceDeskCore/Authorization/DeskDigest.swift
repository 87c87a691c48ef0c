import CCrypto

/// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) as lower-case hexadecimal digits.
package enum DeskDigest {
    package static func sha256(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return hex(digest)
    }

    package static func hmac(_ bytes: [UInt8], secret: String) -> String {
        let key = Array(secret.utf8)
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &code, &length)
        return hex(Array(code.prefix(Int(length))))
    }

    /// Compares in a time that does not depend on where they differ.
    package static func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
