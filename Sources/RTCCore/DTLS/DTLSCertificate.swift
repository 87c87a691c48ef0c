import CCrypto

/// A self-signed ECDSA P-256 certificate with its key, and the libssl context that every association made with it
/// shares. Immutable behind `generate()`, and libssl locks its contexts itself.
package final class DTLSCertificate: @unchecked Sendable {
    /// SHA-256 over the certificate, for `a=fingerprint`.
    package let fingerprint: DTLSFingerprint
    /// `SSL_CTX *`
    let context: OpaquePointer

    private init(fingerprint: DTLSFingerprint, context: OpaquePointer) {
        self.fingerprint = fingerprint
        self.context = context
    }

    deinit { SSL_CTX_free(context) }

    /// Makes a key and a certificate (about 0.2 ms). The first call of a process also checks that libssl lets us drive
    /// its retransmission, and throws `CryptoError.incompatibleOpenSSL` where it does not.
    package static func generate() throws(CryptoError) -> DTLSCertificate {
        let certificate = try unchecked()
        guard DTLSClock.isOurs else { throw .incompatibleOpenSSL(version: OpenSSLLibrary.version) }
        return certificate
    }

    /// A certificate without the check, which needs one itself.
    static func unchecked() throws(CryptoError) -> DTLSCertificate {
        guard let key = ccrypto_p256_key() else { throw .library("making a P-256 key") }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw .library("making a certificate") }
        defer { X509_free(certificate) }
        try sign(certificate, with: key)
        guard let fingerprint = DTLSFingerprint(sha256Of: certificate) else { throw .library("X509_digest") }
        return DTLSCertificate(
            fingerprint: fingerprint, context: try DTLSContext.make(certificate: certificate, key: key))
    }

    /// Fills in and signs. The validity is without bounds that matter (RFC 5280 section 4.1.2.5): WebRTC trusts the
    /// fingerprint alone, and this room reads no clock.
    private static func sign(_ certificate: OpaquePointer, with key: OpaquePointer) throws(CryptoError) {
        let serial = SecureRandom.bytes(8).map { $0 & 0x7f }
        ccrypto_set_serial(certificate, serial, Int32(serial.count))
        let name = X509_get_subject_name(certificate)
        let made =
            X509_set_version(certificate, 2) == 1
            && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20200101000000Z") == 1
            && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "WebRTC", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
            && X509_set_pubkey(certificate, key) == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
        guard made else { throw .library("signing a certificate") }
    }
}
