/// The cipher suites of WebRTC (RFC 8827 section 6.5): forward secret, AEAD; those with RSA for a peer with an RSA
/// certificate. RFC 5289 section 3.2, RFC 7905 section 2.
package enum TLSCipherSuite: UInt16, Hashable, Sendable, CaseIterable {
    case ecdheECDSAWithAES128GCM = 0xc02b
    case ecdheRSAWithAES128GCM = 0xc02f
    case ecdheECDSAWithChaCha20 = 0xcca9
    case ecdheRSAWithChaCha20 = 0xcca8
    case ecdheECDSAWithAES256GCM = 0xc02c
    case ecdheRSAWithAES256GCM = 0xc030

    /// How records are sealed.
    package enum AEAD: Hashable, Sendable, CaseIterable {
        case aes128GCM
        case aes256GCM
        case chaCha20Poly1305
    }

    package var aead: AEAD {
        switch self {
        case .ecdheECDSAWithAES128GCM, .ecdheRSAWithAES128GCM: .aes128GCM
        case .ecdheECDSAWithAES256GCM, .ecdheRSAWithAES256GCM: .aes256GCM
        case .ecdheECDSAWithChaCha20, .ecdheRSAWithChaCha20: .chaCha20Poly1305
        }
    }

    /// What kind of key the server's certificate holds.
    package var authentication: TLSKeyKind {
        switch self {
        case .ecdheECDSAWithAES128GCM, .ecdheECDSAWithAES256GCM, .ecdheECDSAWithChaCha20: .ecdsa
        case .ecdheRSAWithAES128GCM, .ecdheRSAWithAES256GCM, .ecdheRSAWithChaCha20: .rsa
        }
    }

    /// The PRF and the transcript hash with SHA-384 rather than SHA-256.
    package var usesSHA384: Bool { aead == .aes256GCM }
}

/// The kind of a certificate's key.
package enum TLSKeyKind: Hashable, Sendable, CaseIterable {
    case ecdsa
    case rsa
}
