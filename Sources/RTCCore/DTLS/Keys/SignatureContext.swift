import CCrypto
import RTCWire

/// Signing and checking by libcrypto, RFC 5246 section 4.7 and RFC 8446 section 4.2.3.
enum SignatureContext {
    /// The signature of `content`, or nil where libcrypto refuses.
    static func sign(_ content: [UInt8], scheme: TLSSignatureScheme, key: OpaquePointer) -> [UInt8]? {
        with(scheme, key, EVP_DigestSignInit) { context in
            var length = 0
            guard EVP_DigestSign(context, nil, &length, content, content.count) == 1 else { return nil }
            var signature = [UInt8](repeating: 0, count: length)
            guard EVP_DigestSign(context, &signature, &length, content, content.count) == 1 else { return nil }
            signature.removeLast(signature.count - length)
            return signature
        }
    }

    /// Whether `signature` holds.
    static func verify(
        _ signature: [UInt8], of content: [UInt8], scheme: TLSSignatureScheme, key: OpaquePointer
    ) -> Bool {
        with(scheme, key, EVP_DigestVerifyInit) { context in
            EVP_DigestVerify(context, signature, signature.count, content, content.count) == 1
        } ?? false
    }

    private typealias Start = (
        OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> Int32

    /// A context that is set up for a scheme; nil where libcrypto refuses.
    private static func with<Result>(
        _ scheme: TLSSignatureScheme, _ key: OpaquePointer, _ start: Start, _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        guard start(context, &keyContext, digest(scheme.hash), nil, key) == 1 else { return nil }
        if scheme.isPSS {
            guard EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return nil }
        }
        return body(context)
    }

    private static func digest(_ hash: TLSSignatureScheme.Hash) -> OpaquePointer? {
        switch hash {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}
