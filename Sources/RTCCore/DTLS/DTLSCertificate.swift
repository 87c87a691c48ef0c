import CCrypto
import RTCWire
import Synchronization

/// A self-signed certificate with its key, ECDSA P-256 unless asked otherwise; any number of associations share one.
/// Nothing in it changes behind `generate()` but libssl's context, which is made under a lock, and libcrypto locks its
/// keys itself.
package final class DTLSCertificate: @unchecked Sendable {
    private static let rsaBits = 2048
    /// Bytes of most signatures by ECDSA with P-256; others have one or two more or fewer.
    private static let usualSignature = 71

    /// SHA-256 over the certificate, for `a=fingerprint`.
    package let fingerprint: DTLSFingerprint
    /// As it stands on the wire.
    let der: [UInt8]
    let kind: TLSKeyKind
    /// Whether all signatures are equally long.
    private let isEven: Bool
    /// What the peers of its associations have shown.
    let shown = ShownCertificates()
    /// `X509 *`
    private let certificate: OpaquePointer
    /// `EVP_PKEY *`
    private let key: OpaquePointer
    /// Address of the `SSL_CTX` that all associations over libssl share; made for the first.
    private let context = Mutex<UInt?>(nil)

    private init(kind: TLSKeyKind, key: OpaquePointer, isEven: Bool) throws(CryptoError) {
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw .library("making a certificate")
        }
        guard DTLSCertificate.sign(certificate, with: key, isEven: isEven),
            let der = DTLSCertificate.encode(certificate),
            let fingerprint = DTLSFingerprint(sha256Of: der)
        else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            throw .library("signing a certificate")
        }
        self.kind = kind
        self.isEven = isEven
        self.certificate = certificate
        self.key = key
        self.der = der
        self.fingerprint = fingerprint
    }

    deinit {
        context.withLock { SSL_CTX_free($0.flatMap { OpaquePointer(bitPattern: $0) }) }
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Makes a key and a certificate: about 0.2 ms for ECDSA, a hundred times that for RSA of 2048 bits.
    ///
    /// - Parameter isEven: what it signs by ECDSA, itself included, is always equally long: where a run is to be repeated, so
    ///   is the time that its handshakes take on a slow network. A signature that is longer or shorter is made again.
    package static func generate(
        _ kind: TLSKeyKind = .ecdsa, isEven: Bool = false
    ) throws(CryptoError) -> DTLSCertificate {
        guard let key = kind == .ecdsa ? ccrypto_p256_key() : ccrypto_rsa_key(rsaBits) else {
            throw .library("making a key")
        }
        return try DTLSCertificate(kind: kind, key: key, isEven: isEven && kind == .ecdsa)
    }

    /// Fills in and signs. The validity is without bounds that matter (RFC 5280 section 4.1.2.5): WebRTC trusts the
    /// fingerprint alone, and this room reads no clock.
    private static func sign(_ certificate: OpaquePointer, with key: OpaquePointer, isEven: Bool) -> Bool {
        var serial = SecureRandom.bytes(8).map { $0 & 0x7f }
        // No zero in front, which would not be written.
        serial[0] |= 0x40
        ccrypto_set_serial(certificate, serial, Int32(serial.count))
        let name = X509_get_subject_name(certificate)
        return X509_set_version(certificate, 2) == 1
            && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "20200101000000Z") == 1
            && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "WebRTC", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
            && X509_set_pubkey(certificate, key) == 1
            && complete(certificate, with: key, isEven: isEven)
    }

    private static func complete(_ certificate: OpaquePointer, with key: OpaquePointer, isEven: Bool) -> Bool {
        repeat {
            guard X509_sign(certificate, key, EVP_sha256()) > 0 else { return false }
        } while isEven && signatureLength(certificate) != usualSignature
        return true
    }

    private static func signatureLength(_ certificate: OpaquePointer) -> Int {
        var signature: UnsafePointer<ASN1_BIT_STRING>?
        X509_get0_signature(&signature, nil, certificate)
        return Int(ASN1_STRING_length(signature))
    }

    static func encode(_ certificate: OpaquePointer) -> [UInt8]? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &encoded)
        guard length > 0 else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }
}

extension DTLSCertificate {
    /// Signs by the first of our schemes that the peer accepts (RFC 5246 sections 7.4.3 and 7.4.8).
    func sign(_ content: [UInt8], accepted: [UInt16]) throws(HandshakeFault) -> TLSSignature {
        let scheme = TLSSignatureScheme.allCases.first { $0.keyKind == kind && accepted.contains($0.rawValue) }
        guard let scheme else {
            throw .refused("no signature scheme in common", alert: TLSAlert.Description.handshakeFailure)
        }
        while true {
            guard let signature = SignatureContext.sign(content, scheme: scheme, key: key) else {
                throw .environment(.library("signing"))
            }
            if isEven, signature.count != DTLSCertificate.usualSignature { continue }
            return TLSSignature(scheme: scheme.rawValue, value: signature)
        }
    }

    /// The `SSL_CTX` of associations over libssl.
    func libraryContext() throws(CryptoError) -> OpaquePointer {
        let made = context.withLock { address -> Result<UInt, CryptoError> in
            if let address { return .success(address) }
            do throws(CryptoError) {
                let new = UInt(bitPattern: try DTLSContext.make(certificate: certificate, key: key))
                address = new
                return .success(new)
            } catch {
                return .failure(error)
            }
        }
        guard let context = OpaquePointer(bitPattern: try made.get()) else { throw .library("SSL_CTX_new") }
        return context
    }
}
