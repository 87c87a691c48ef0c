import CCrypto

/// HMAC with SHA-256 (RFC 2104), the only signature that LiveKit tokens use (RFC 7518 section 3.2).
enum HS256 {
    /// The 32 bytes of the code over `message`.
    static func authenticate(_ message: [UInt8], secret: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        HMAC(EVP_sha256(), secret, Int32(clamping: secret.count), message, message.count, &code, &length)
        return code
    }

    /// Compares without telling by its time where the difference lies.
    static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}
