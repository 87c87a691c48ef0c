import CCrypto

/// MD5, RFC 1321: nothing is secured by it here but what TURN prescribes, the key of long-term credentials (RFC 8489
/// section 9.2.2).
enum MD5Digest {
    /// 16 bytes; nil where the library refuses MD5 (a FIPS provider).
    static func of(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 16)
        var length = digest.count
        guard EVP_Q_digest(nil, "MD5", nil, bytes, bytes.count, &digest, &length) == 1, length == 16 else { return nil }
        return digest
    }
}
