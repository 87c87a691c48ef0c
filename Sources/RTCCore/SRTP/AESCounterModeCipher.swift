import CCrypto

/// AES_CM_128_HMAC_SHA1_80 of one direction, RFC 3711 sections 4.1.1 and 4.2.1, over one reused libcrypto context.
final class AESCounterModeCipher {
    private let context: OpaquePointer
    private let salt: SRTPSalt
    private let authenticator: HMACSHA1

    init(key: SecretBytes, salt: SRTPSalt, authenticationKey: SecretBytes) throws(CryptoError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        guard key.withBytes({ EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, $0.octets, nil) }) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .library("AES-128-CTR")
        }
        self.context = context
        self.salt = salt
        authenticator = authenticationKey.withBytes { HMACSHA1(key: $0) }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func seal(_ parts: SRTPPacketParts) -> Bool {
        guard applyKeyStream(parts) else { return false }
        withUnsafeBytes(of: parts.authenticatedWord) {
            authenticator.authenticate(parts.headerAndBody, $0, into: parts.tag)
        }
        return true
    }

    func open(_ parts: SRTPPacketParts) -> Bool {
        let isAuthentic = withUnsafeBytes(of: parts.authenticatedWord) {
            authenticator.isValid(UnsafeRawBufferPointer(parts.tag), for: parts.headerAndBody, $0)
        }
        return isAuthentic && applyKeyStream(parts)
    }

    @inline(__always)
    private func applyKeyStream(_ parts: SRTPPacketParts) -> Bool {
        var length: Int32 = 0
        return withUnsafeBytes(of: salt.counterBlock(ssrc: parts.ssrc, index: parts.index)) {
            EVP_EncryptInit_ex(context, nil, nil, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
        } == 1 && EVP_EncryptUpdate(context, parts.bodyBytes, &length, parts.bodyBytes, Int32(parts.body.count)) == 1
    }
}

extension SRTPPacketParts {
    /// What follows the packet under the HMAC: the roll-over counter of RTP, the index word of RTCP; network order.
    fileprivate var authenticatedWord: UInt32 { (controlWord ?? UInt32(truncatingIfNeeded: index >> 16)).bigEndian }

    fileprivate var headerAndBody: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: header.baseAddress, count: header.count + body.count)
    }
}
