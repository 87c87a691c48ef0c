import CCrypto

/// The pseudo-random function of TLS 1.2, RFC 5246 section 5: P_SHA256, or P_SHA384 where the cipher suite says so.
enum TLSPRF {
    /// PRF(secret, label, seed), `count` bytes of it.
    static func derive(
        _ secret: SecretBytes, label: String, seed: [UInt8], count: Int, usesSHA384: Bool
    ) throws(CryptoError) -> SecretBytes {
        let labelled = Array(label.utf8) + seed
        let derived = SecretBytes(count: count) { output in
            secret.withBytes { secret in
                ccrypto_tls_prf(
                    usesSHA384 ? "SHA2-384" : "SHA2-256", secret.baseAddress, secret.count, labelled, labelled.count,
                    output.baseAddress, output.count) == 1
            }
        }
        guard let derived else { throw .library("TLS1-PRF") }
        return derived
    }
}
