import CCrypto

/// HMAC-SHA256, RFC 2104 and FIPS 180-4, with the key already worked in.
package struct HMACSHA256: Sendable {
    /// Length of the code in bytes.
    package static let byteCount = 32

    private var inner = SHA256_CTX()
    private var outer = SHA256_CTX()

    /// Takes a key of any length; one longer than 64 bytes is hashed first.
    package init(key: [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { block in
            key.withUnsafeBytes { HMACBlock.fill(block, key: $0) { SHA256($0.baseAddress, $0.count, $1) } }
            HMACBlock.mask(block, 0x36)
            SHA256_Init(&inner)
            SHA256_Update(&inner, block.baseAddress, 64)
            HMACBlock.mask(block, 0x36 ^ 0x5c)
            SHA256_Init(&outer)
            SHA256_Update(&outer, block.baseAddress, 64)
            OPENSSL_cleanse(block.baseAddress, 64)
        }
    }

    /// The 32-byte code of a message.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: HMACSHA256.byteCount) { output, count in
            var state = inner
            SHA256_Update(&state, message, message.count)
            SHA256_Final(output.baseAddress, &state)
            state = outer
            SHA256_Update(&state, output.baseAddress, HMACSHA256.byteCount)
            SHA256_Final(output.baseAddress, &state)
            count = HMACSHA256.byteCount
        }
    }

    /// Whether `code` is that of `message`; takes the same time wherever the values differ.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        code.count == HMACSHA256.byteCount && CRYPTO_memcmp(code, authenticate(message), code.count) == 0
    }
}
