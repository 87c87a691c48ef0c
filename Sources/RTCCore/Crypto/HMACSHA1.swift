import CCrypto

/// HMAC-SHA1, RFC 2104, with the key already worked in.
///
/// A plain value: the two SHA-1 states behind the padded key are computed once, so that a call costs the blocks of the
/// message and two more, allocates nothing and never visits libcrypto's algorithm tables. STUN checks every datagram of
/// a flood with it (RFC 8489 section 14.5), AES_CM_128_HMAC_SHA1_80 every packet (RFC 3711 section 4.2.1).
package struct HMACSHA1: Sendable {
    /// Length of the code in bytes.
    package static let byteCount = 20

    private var inner = SHA_CTX()
    private var outer = SHA_CTX()

    /// Takes a key of any length; one longer than 64 bytes is hashed first.
    package init(key: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { block in
            HMACBlock.fill(block, key: key) { SHA1($0.baseAddress, $0.count, $1) }
            HMACBlock.mask(block, 0x36)
            SHA1_Init(&inner)
            SHA1_Update(&inner, block.baseAddress, 64)
            HMACBlock.mask(block, 0x36 ^ 0x5c)
            SHA1_Init(&outer)
            SHA1_Update(&outer, block.baseAddress, 64)
            OPENSSL_cleanse(block.baseAddress, 64)
        }
    }

    /// Takes a key of any length.
    package init(key: [UInt8]) {
        self = key.withUnsafeBytes { HMACSHA1(key: $0) }
    }

    /// Takes the UTF-8 bytes of a string: the password of STUN's short-term credentials (RFC 8489 section 9.1.1).
    package init(password: String) {
        self.init(key: Array(password.utf8))
    }

    /// Writes the code of `message` to the first 20 bytes of `output`; less room gets as much as fits.
    @inline(__always)
    package func authenticate(_ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        authenticate(message, UnsafeRawBufferPointer(start: nil, count: 0), into: output)
    }

    /// Writes the code of `first` followed by `second` to the first 20 bytes of `output`.
    package func authenticate(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        withCode(first, second) { code in
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: code[..<min(code.count, output.count)]))
        }
    }

    /// Whether `code` is that of `message`; a shortened code is compared as far as it goes, an empty one never holds.
    /// Takes the same time wherever the values differ.
    package func isValid(
        _ code: UnsafeRawBufferPointer, for first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Bool {
        guard (1...HMACSHA1.byteCount).contains(code.count) else { return false }
        return withCode(first, second) { CRYPTO_memcmp($0.baseAddress, code.baseAddress, code.count) == 0 }
    }

    /// The code of a message, for callers that don't count allocations.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { message in
            withCode(message, UnsafeRawBufferPointer(start: nil, count: 0)) { Array($0) }
        }
    }

    @inline(__always)
    private func withCode<Result>(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: HMACSHA1.byteCount, alignment: 8) { digest in
            let bytes = digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var state = inner
            SHA1_Update(&state, first.baseAddress, first.count)
            if second.count > 0 { SHA1_Update(&state, second.baseAddress, second.count) }
            SHA1_Final(bytes, &state)
            state = outer
            SHA1_Update(&state, digest.baseAddress, HMACSHA1.byteCount)
            SHA1_Final(bytes, &state)
            return body(UnsafeRawBufferPointer(digest))
        }
    }
}
