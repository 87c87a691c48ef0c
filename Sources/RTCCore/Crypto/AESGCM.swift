import CCrypto

/// AES in Galois/Counter Mode with 12-byte nonces and 16-byte tags, NIST SP 800-38D, over one reused libcrypto context
/// for each direction. Has one owner at a time.
package final class AESGCM {
    package static let tagLength = 16
    package static let nonceLength = 12

    private let sealing: OpaquePointer
    private let opening: OpaquePointer

    /// - Parameter key: 16 or 32 bytes.
    package init(key: [UInt8]) throws(CryptoError) {
        guard key.count == 16 || key.count == 32 else {
            throw .libraryFailure(operation: "AES-GCM", detail: "a key of \(key.count) bytes")
        }
        sealing = try AESGCM.context(key, encrypts: true)
        do throws(CryptoError) {
            opening = try AESGCM.context(key, encrypts: false)
        } catch {
            EVP_CIPHER_CTX_free(sealing)
            throw error
        }
    }

    deinit {
        EVP_CIPHER_CTX_free(sealing)
        EVP_CIPHER_CTX_free(opening)
    }

    private static func context(_ key: [UInt8], encrypts: Bool) throws(CryptoError) -> OpaquePointer {
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        let cipher = key.count == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm()
        guard EVP_CipherInit_ex(context, cipher, nil, key, nil, encrypts ? 1 : 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("AES-GCM")
        }
        return context
    }

    /// Writes ciphertext and tag to the start of `output`.
    ///
    /// - Returns: false where the nonce hasn't 12 bytes or `output` has no room for 16 bytes more than `plain`.
    package func seal(
        _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer, authenticating header: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard output.count >= plain.count + AESGCM.tagLength, start(sealing, nonce, header) else { return false }
        let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var length: Int32 = 0
        return EVP_CipherUpdate(sealing, target, &length, plain.bytePointer, Int32(clamping: plain.count)) == 1
            && EVP_CipherFinal_ex(sealing, target.map { $0 + plain.count }, &length) == 1
            && ccrypto_gcm_get_tag(sealing, output.baseAddress.map { $0 + plain.count }) == 1
    }

    /// Writes the plaintext to the start of `output`, which holds nothing of worth where the call gives false.
    ///
    /// - Parameter sealed: ciphertext and tag.
    /// - Returns: false where the tag doesn't hold, the nonce hasn't 12 bytes, or lengths don't fit.
    package func open(
        _ sealed: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer,
        authenticating header: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let count = sealed.count - AESGCM.tagLength
        guard count >= 0, output.count >= count, start(opening, nonce, header) else { return false }
        let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var length: Int32 = 0
        let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress.map { $0 + count })
        return EVP_CipherUpdate(opening, target, &length, sealed.bytePointer, Int32(clamping: count)) == 1
            && ccrypto_gcm_set_tag(opening, tag) == 1
            && EVP_CipherFinal_ex(opening, target.map { $0 + count }, &length) == 1
    }

    private func start(
        _ context: OpaquePointer, _ nonce: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer
    ) -> Bool {
        var length: Int32 = 0
        guard nonce.count == AESGCM.nonceLength,
            EVP_CipherInit_ex(context, nil, nil, nil, nonce.bytePointer, -1) == 1
        else { return false }
        return header.isEmpty
            || EVP_CipherUpdate(context, nil, &length, header.bytePointer, Int32(clamping: header.count)) == 1
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytePointer: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
