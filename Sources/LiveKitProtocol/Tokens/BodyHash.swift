import CCrypto

/// SHA-256 (FIPS 180-4) of a request body, as the `sha256` claim of a webhook's token has it.
package enum BodyHash {
    /// Base64 of the 32 bytes.
    package static func sha256(_ body: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(body, body.count, &digest)
        return Base64.encode(digest)
    }
}
