import CCrypto

/// AEAD_AES_128_GCM and AEAD_AES_256_GCM of one direction, RFC 7714, over one reused libcrypto context.
final class AESGCMCipher {
    private let context: OpaquePointer
    private let salt: SRTPSalt

    init(key: SecretBytes, salt: SRTPSalt, encrypts: Bool) throws(CryptoError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        let cipher = key.count == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm()
        guard key.withBytes({ EVP_CipherInit_ex(context, cipher, nil, $0.octets, nil, encrypts ? 1 : 0) }) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("AES-GCM")
        }
        self.context = context
        self.salt = salt
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func seal(_ parts: SRTPPacketParts) -> Bool {
        var length: Int32 = 0
        return start(parts)
            && EVP_EncryptUpdate(context, parts.bodyBytes, &length, parts.bodyBytes, Int32(parts.body.count)) == 1
            && EVP_EncryptFinal_ex(context, parts.bodyEnd, &length) == 1
            && ccrypto_gcm_get_tag(context, parts.tag.baseAddress) == 1
    }

    func open(_ parts: SRTPPacketParts) -> Bool {
        var length: Int32 = 0
        return start(parts)
            && EVP_DecryptUpdate(context, parts.bodyBytes, &length, parts.bodyBytes, Int32(parts.body.count)) == 1
            && ccrypto_gcm_set_tag(context, parts.tag.baseAddress) == 1
            && EVP_DecryptFinal_ex(context, parts.bodyEnd, &length) == 1
    }

    /// Sets the nonce and feeds what is only authenticated: the header, and RTCP's index word.
    @inline(__always)
    private func start(_ parts: SRTPPacketParts) -> Bool {
        let nonce = salt.nonce(ssrc: parts.ssrc, index: parts.index)
        var length: Int32 = 0
        let header = parts.header.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard
            withUnsafeBytes(
                of: nonce,
                {
                    EVP_CipherInit_ex(
                        context, nil, nil, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), -1)
                }) == 1, EVP_CipherUpdate(context, nil, &length, header, Int32(parts.header.count)) == 1
        else { return false }
        guard let word = parts.controlWord else { return true }
        return withUnsafeBytes(of: word.bigEndian) {
            EVP_CipherUpdate(context, nil, &length, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), 4)
        } == 1
    }
}

extension SRTPPacketParts {
    var bodyBytes: UnsafeMutablePointer<UInt8>? { body.baseAddress?.assumingMemoryBound(to: UInt8.self) }
    /// One past the body: finishing a stream cipher writes nothing there.
    var bodyEnd: UnsafeMutablePointer<UInt8>? { bodyBytes.map { $0 + body.count } }
}
