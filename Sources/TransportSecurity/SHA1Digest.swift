import CCrypto

/// SHA-1 (FIPS 180-4), where a protocol asks for it: no security rests on it.
package enum SHA1Digest {
    /// The 20 bytes.
    package static func of(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(bytes, bytes.count, &digest)
        return digest
    }
}
