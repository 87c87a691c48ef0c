import CCrypto
import RTCWire

/// The certificate that the peer showed, and the key in it. Whom it names and who signed it means nothing here: the
/// fingerprint is what is trusted (RFC 8827 section 5.6.4). Nothing in it changes, and libcrypto locks its keys itself.
final class PeerCertificate: @unchecked Sendable {
    /// Bits of the longest RSA key that is taken: checking its signature takes a fraction of a millisecond.
    private static let longestRSAKey = 8192
    /// NIST's curves; those with explicit parameters have no name.
    private static let curves: Set<String> = ["prime256v1", "secp384r1", "secp521r1"]

    let der: [UInt8]
    let kind: TLSKeyKind
    /// `EVP_PKEY *`
    private let key: OpaquePointer

    /// Nil where this is no certificate, or its key is none that signs here: ECDSA on a named curve of NIST, RSA of
    /// 2048 to 8192 bits.
    init?(der: [UInt8]) {
        defer { ERR_clear_error() }
        guard let certificate = PeerCertificate.parse(der) else { return nil }
        defer { X509_free(certificate) }
        guard let key = X509_get_pubkey(certificate) else { return nil }
        guard let kind = PeerCertificate.kind(of: key) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.der = der
        self.kind = kind
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether `signature` is this key's over `content`, by a scheme that we know and that fits the key.
    func hasSigned(_ content: [UInt8], _ signature: TLSSignature) -> Bool {
        guard let scheme = TLSSignatureScheme(rawValue: signature.scheme), scheme.keyKind == kind else { return false }
        return SignatureContext.verify(signature.value, of: content, scheme: scheme, key: key)
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
            if position == bytes.baseAddress.map({ $0 + bytes.count }) { return certificate }
            X509_free(certificate)
            return nil
        }
    }

    private static func kind(of key: OpaquePointer) -> TLSKeyKind? {
        guard EVP_PKEY_get_security_bits(key) >= 112 else { return nil }
        if EVP_PKEY_is_a(key, "RSA") == 1 { return EVP_PKEY_get_bits(key) <= longestRSAKey ? .rsa : nil }
        guard EVP_PKEY_is_a(key, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
        let curve = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return curves.contains(curve) ? .ecdsa : nil
    }
}
