import CCrypto

/// A library context of OpenSSL for one PKCS#12 file, with old algorithms where the system has them.
///
/// NIOSSL's own reader ends the process where a file has no key or no certificate in it, and does not tell a wrong password from a broken file.
struct PKCS12Library: ~Copyable {
    struct Parts {
        var certificate: [UInt8] = []
        var chain: [[UInt8]] = []
        var key: [UInt8] = []
    }

    private let context: OpaquePointer
    private let standard: OpaquePointer?
    private let legacy: OpaquePointer?

    init?() {
        guard let context = OSSL_LIB_CTX_new() else { return nil }
        self.context = context
        standard = OSSL_PROVIDER_load(context, "default")
        legacy = OSSL_PROVIDER_load(context, "legacy")
        ERR_clear_error()
    }

    deinit {
        if let legacy { OSSL_PROVIDER_unload(legacy) }
        if let standard { OSSL_PROVIDER_unload(standard) }
        OSSL_LIB_CTX_free(context)
    }

    borrowing func open(_ bytes: [UInt8], _ password: String, _ name: String) throws(IdentityFault) -> Parts {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let file = decode(bytes) else { throw .notPKCS12(name) }
        defer { PKCS12_free(file) }
        if PKCS12_mac_present(file) == 1, PKCS12_verify_mac(file, password, -1) != 1,
            !password.isEmpty || PKCS12_verify_mac(file, nil, 0) != 1
        {
            if let reason = Self.queued() { throw .unsupported(name, reason) }
            throw .wrongPassword(name)
        }
        var (key, certificate, chain): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        ERR_clear_error()
        let isParsed = PKCS12_parse(file, password, &key, &certificate, &chain) == 1
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
            ccrypto_certificates_free(chain)
        }
        guard isParsed else {
            guard legacy != nil else { throw .needsLegacyProvider(name) }
            throw .unsupported(name, Self.queued() ?? "its content can't be read")
        }
        guard let key else { throw .noKey(name) }
        guard let certificate else { throw .noCertificate(name) }
        var parts = Parts()
        parts.certificate = Self.der { i2d_X509(certificate, $0) }
        parts.chain = (0..<ccrypto_certificates_count(chain)).map { index in
            Self.der { i2d_X509(ccrypto_certificate_at(chain, index), $0) }
        }
        guard let form = EVP_PKEY2PKCS8(key) else { throw .unsupported(name, "its key is of no known kind") }
        defer { PKCS8_PRIV_KEY_INFO_free(form) }
        parts.key = Self.der { i2d_PKCS8_PRIV_KEY_INFO(form, $0) }
        return parts
    }

    private borrowing func decode(_ bytes: [UInt8]) -> OpaquePointer? {
        // It remembers the context in which its algorithms are looked for.
        var file: OpaquePointer? = PKCS12_init_ex(NID_pkcs7_data, context, nil)
        return bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard d2i_PKCS12(&file, &cursor, buffer.count) != nil else { return nil }
            return file
        }
    }

    /// The first reason in the library's queue.
    private static func queued() -> String? {
        let code = ERR_peek_error()
        guard code != 0 else { return nil }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// What an `i2d` function writes.
    static func der(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let length = write(nil)
        guard length > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var cursor = buffer.baseAddress
            count = Int(max(0, write(&cursor)))
        }
    }
}
