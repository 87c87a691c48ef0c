import AccessPolicy
import CCrypto

/// The key of a certificate, as pins know it.
enum PinnedKey {
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
            digests.append(PinnedKey.digest(certificate))
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
