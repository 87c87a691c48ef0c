import AccessPolicy
import CCrypto
import Glibc

/// The pins of a context, where libssl finds them.
final class PinnedKeys: Sendable {
    private let pins: CertificatePins

    init(_ pins: CertificatePins) { self.pins = pins }

    /// Judges the chain that OpenSSL has verified: leaf, intermediates, root (RFC 7469 section 2.6).
    private func accept(_ store: OpaquePointer?) -> Bool {
        let chain = X509_STORE_CTX_get0_chain(store)
        return pins.accept(
            (0..<ccrypto_certificates_count(chain)).map { Self.digest(ccrypto_certificate_at(chain, $0)) })
    }

    /// Has a context judge chains. It, and what is made from it, must not outlive `self`.
    ///
    /// The chain is judged when the server's certificate comes: before a client's own goes out.
    func install(in context: OpaquePointer) {
        SSL_CTX_set_cert_verify_callback(
            context,
            { store, keys in
                let status = X509_verify_cert(store)
                guard status == 1, let keys else { return status }
                guard Unmanaged<PinnedKeys>.fromOpaque(keys).takeUnretainedValue().accept(store) else {
                    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
                    return 0
                }
                return 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The SHA-256 of a certificate's SubjectPublicKeyInfo.
    static func digest(_ certificate: OpaquePointer?) -> [UInt8] {
        let key = PKCS12Library.der { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(key, key.count, &digest)
        return digest
    }
}

extension CertificatePins {
    /// Pins, and the keys of certificates.
    ///
    /// - Parameters:
    ///   - pins: each `sha256/` and 32 bytes in Base64.
    ///   - certificateFiles: PEM or DER; of several certificates in one the first counts.
    /// - Throws: `PinFault`.
    public init(_ pins: [String], certificateFiles: [String]) throws(PinFault) {
        var digests: [[UInt8]] = []
        for pin in pins { digests.append(try Self.digest(pin)) }
        for file in certificateFiles {
            guard let certificate = Self.certificate(file) else { throw .certificate(file) }
            digests.append(PinnedKeys.digest(certificate))
            X509_free(certificate)
        }
        try self.init(digests: digests)
    }

    private static func certificate(_ path: String) -> OpaquePointer? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let file = BIO_new_file(path, "r") else { return nil }
        defer { BIO_free(file) }
        if let certificate = PEM_read_bio_X509(file, nil, { _, _, _, _ in 0 }, nil) { return certificate }
        guard let again = BIO_new_file(path, "r") else { return nil }
        defer { BIO_free(again) }
        return d2i_X509_bio(again, nil)
    }
}
