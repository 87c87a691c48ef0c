import AccessPolicy
import CCrypto
import Glibc

/// Judges the certificates that a server shows, by the system's libcrypto.
///
/// NIOSSL hands them over for that. BoringSSL's own judgement would say neither why a certificate was refused, which people have to read, nor
/// which chain it has found, in which pins are looked for.
// libcrypto locks its stores itself, and this one is not changed after it was made.
final class CertificateVerifier: @unchecked Sendable {
    private let store: OpaquePointer
    private let pins: CertificatePins?

    /// Reads the system's roots, and the file's. Throws `TLSError`.
    init(_ trust: TLSTrust) throws(TLSError) {
        guard let store = X509_STORE_new() else { throw .library("X509_STORE_new") }
        self.store = store
        pins = trust.pins
        X509_STORE_set_default_paths(store)
        ERR_clear_error()
        defer { ERR_clear_error() }
        if let file = trust.rootsFile, X509_STORE_load_file(store, file) != 1 {
            throw .unusableFile(file, role: "file of trusted roots", reason: TLSServer.reason(file))
        }
    }

    deinit { X509_STORE_free(store) }

    /// Why the certificates prove nothing, or nil.
    ///
    /// - Parameters:
    ///   - sent: DER, the server's own first.
    ///   - host: the name or IP address that it must bear.
    ///   - peer: what people call the server.
    func judge(_ sent: [[UInt8]], host: String, peer: String) -> TLSError? {
        defer { ERR_clear_error() }
        guard let own = sent.first.flatMap(Self.certificate), let others = ccrypto_certificates_new(),
            let context = X509_STORE_CTX_new()
        else { return .untrusted(peer: peer, reason: "it can't be read") }
        defer {
            X509_STORE_CTX_free(context)
            ccrypto_certificates_free(others)
            X509_free(own)
        }
        for link in sent.dropFirst().compactMap(Self.certificate) { ccrypto_certificates_push(others, link) }
        guard X509_STORE_CTX_init(context, store, own, others) == 1, Self.expect(host, context) else {
            return .library("setting up a verification")
        }
        guard X509_verify_cert(context) == 1 else {
            return TLSError(verification: X509_STORE_CTX_get_error(context), peer: peer)
        }
        return isPinned(context) ? nil : .notPinned(peer: peer)
    }

    /// A server's certificate, for this host. Names are verified as names, addresses as addresses.
    private static func expect(_ host: String, _ context: OpaquePointer) -> Bool {
        // OpenSSL takes an empty name for no name, and would verify none.
        guard !host.isEmpty, X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let settings = X509_STORE_CTX_get0_param(context)
        else { return false }
        X509_VERIFY_PARAM_set_auth_level(settings, securityLevel)
        return X509_VERIFY_PARAM_set1_ip_asc(settings, host) == 1
            || X509_VERIFY_PARAM_set1_host(settings, host, host.utf8.count) == 1
    }

    /// Of OpenSSL: 112 bits, which are 2048 of RSA.
    private static let securityLevel: Int32 = 2

    /// In the chain that has been verified, whatever else was sent: leaf, intermediates, root (RFC 7469 section 2.6).
    private func isPinned(_ context: OpaquePointer) -> Bool {
        guard let pins else { return true }
        let chain = X509_STORE_CTX_get0_chain(context)
        return pins.accept(
            (0..<ccrypto_certificates_count(chain)).map { PinnedKey.digest(ccrypto_certificate_at(chain, $0)) })
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
    }
}
