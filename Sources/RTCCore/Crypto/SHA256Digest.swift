import CCrypto

/// SHA-256, FIPS 180-4.
package enum SHA256Digest {
    /// Length in bytes.
    package static let byteCount = 32

    /// The digest of some bytes.
    package static func of(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            SHA256(bytes, bytes.count, output.baseAddress)
            count = byteCount
        }
    }
}
