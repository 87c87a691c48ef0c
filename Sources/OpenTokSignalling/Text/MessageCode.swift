import CCrypto

/// HMAC (RFC 2104) with the two hashes that tokens use.
enum MessageCode {
    /// 20 bytes.
    static func sha1(_ message: some Collection<UInt8>, secret: String) -> [UInt8] {
        authenticate(Array(message), Array(secret.utf8), EVP_sha1(), 20)
    }

    /// 32 bytes (`HS256`, RFC 7518 section 3.2).
    static func sha256(_ message: some Collection<UInt8>, secret: String) -> [UInt8] {
        authenticate(Array(message), Array(secret.utf8), EVP_sha256(), 32)
    }

    /// Compares without telling by its time where the difference lies.
    static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0 }

    private static func authenticate(
        _ message: [UInt8], _ secret: [UInt8], _ hash: OpaquePointer?, _ size: Int
    ) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: size)
        var length = UInt32(size)
        HMAC(hash, secret, Int32(clamping: secret.count), message, message.count, &code, &length)
        return code
    }
}
