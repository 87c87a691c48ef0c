import CCrypto
import RTCWire

/// The libssl settings that all associations share.
enum DTLSContext {
    /// Largest handshake message and certificate chain that is reassembled, in bytes: libssl holds up to ten of them.
    static let largestMessage = 16 * 1024

    /// Cipher suites in libssl's words.
    static func names(_ suites: [TLSCipherSuite]) -> String {
        suites.map { suite in
            let kind = suite.authentication == .ecdsa ? "ECDSA" : "RSA"
            return switch suite.aead {
            case .aes128GCM: "ECDHE-\(kind)-AES128-GCM-SHA256"
            case .aes256GCM: "ECDHE-\(kind)-AES256-GCM-SHA384"
            case .chaCha20Poly1305: "ECDHE-\(kind)-CHACHA20-POLY1305"
            }
        }.joined(separator: ":")
    }

    /// Groups in libssl's words. P-256 must stand beside X25519: an ECDSA P-256 certificate counts as a use of it.
    static func names(_ groups: [TLSNamedGroup]) -> String {
        let all = groups.contains(.secp256r1) ? groups : groups + [.secp256r1]
        return all.map { $0 == .x25519 ? "X25519" : "P-256" }.joined(separator: ":")
    }

    /// Makes an `SSL_CTX` for both roles: DTLS 1.2, mutual certificates, judged by fingerprint alone.
    static func make(certificate: OpaquePointer, key: OpaquePointer) throws(CryptoError) -> OpaquePointer {
        guard let context = SSL_CTX_new(DTLS_method()) else { throw .library("SSL_CTX_new") }
        ccrypto_ctx_set_defaults(context, largestMessage)
        // The level is stated so that no openssl.cnf changes it: 112 bits, as Debian has it.
        SSL_CTX_set_security_level(context, 2)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, { store, _ in DTLSContext.judge(store) }, nil)
        let made =
            ccrypto_ctx_only_dtls12(context) == 1
            && SSL_CTX_use_certificate(context, certificate) == 1
            && SSL_CTX_use_PrivateKey(context, key) == 1
        guard made else {
            SSL_CTX_free(context)
            throw .library("setting up DTLS 1.2")
        }
        return context
    }

    /// libssl asks whether the peer's certificate will do, before anything else is done with it. Where the expected
    /// fingerprint is not yet known it will; `LibraryDTLS` then judges before it reports the connection.
    private static func judge(_ store: OpaquePointer?) -> Int32 {
        guard let store, let certificate = X509_STORE_CTX_get0_cert(store), let owner = ccrypto_store_owner(store)
        else { return 0 }
        let channel = owner.assumingMemoryBound(to: DTLSChannel.self)
        guard let expected = channel.pointee.expectedFingerprint, !expected.matches(certificate) else { return 1 }
        channel.pointee.refusedCertificate = true
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    }
}
