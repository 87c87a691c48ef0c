import CCrypto
import Foundation

/// Private keys of tests, made anew in each run, and their other half.
// Never changed once it is made.
final class TestKey: @unchecked Sendable {
    private let key: OpaquePointer
    /// PKCS#8.
    let pem: String

    private init?(_ key: OpaquePointer?) {
        guard let key, let file = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(file) }
        self.key = key
        guard PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil) == 1 else {
            pem = ""
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = BIO_read(file, &bytes, Int32(bytes.count))
        pem = String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }

    deinit { EVP_PKEY_free(key) }

    static func p256() -> TestKey? { TestKey(ccrypto_p256_key()) }
    static func rsa(_ bits: Int = 2_048) -> TestKey? { TestKey(ccrypto_rsa_key(bits)) }

    /// Whether a token's signature is this key's.
    func holds(_ signature: [UInt8], over text: String) -> Bool {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let content = Array(text.utf8)
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        guard EVP_PKEY_is_a(key, "EC") == 1 else {
            return EVP_DigestVerify(context, signature, signature.count, content, content.count) == 1
        }
        guard let der = Self.der(signature) else { return false }
        return EVP_DigestVerify(context, der, der.count, content, content.count) == 1
    }

    /// R and S as ECDSA has them.
    private static func der(_ joined: [UInt8]) -> [UInt8]? {
        guard joined.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = (Array(joined[..<32]), Array(joined[32...]))
        guard ECDSA_SIG_set0(signature, BN_bin2bn(r, 32, nil), BN_bin2bn(s, 32, nil)) == 1 else { return nil }
        var pointer: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &pointer)
        defer { CRYPTO_free(pointer, nil, 0) }
        return count > 0 ? Array(UnsafeBufferPointer(start: pointer, count: Int(count))) : nil
    }

    // MARK: Keys that are of no use

    /// On another curve.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDjnUB5stKCG2acG1ZF
        ol3d1NuXQeq3Fqw7KuA5euoEPJ3W77lojdR5GPqxSm7wSAWhZANiAATdmn24oMs6
        if3Gm1356z4Sku06UFMFFMUFsGviZfAe6CIWSKKYYmJZRigTg4DmE3/XdwYNdYwL
        OBW1AmZfwkMtdJDUIxvM+7HFdJKBElS0TAtobUmorUtUuLfa5pr8IBo=
        -----END PRIVATE KEY-----
        """
    /// With a password.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgNKch/9ZWoawICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOCJQx1TQHKK7V2pWMqmKoMEgZCI
        qvCVtvyBsLslgR62TXxbQuGrUem29R+Ecuyw6m6O/xdudXX5sBwZIOQ/OvXOyxjb
        +0e4BzamgkPaSBh8T+6QJzE0MPvJjIp+7/xkE3W6boK2a4cdN+K6eRhdPzzrrxnd
        3RxrD1Ao7q0IErHiaRNr83LbmqSmnq73MVNUqIJdNZmvI2sKbBZaAL7vLzKooNU=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// Of another kind than both algorithms want.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIMKZqabIDJEvvNb/ppJ81bBVCs9K3mAHqT9FSZ9GNnR+
        -----END PRIVATE KEY-----
        """
}

/// A token, taken apart.
struct TestToken {
    var header: [String: Any]
    var claims: [String: Any]
    /// What was signed, and with what.
    var signed: String
    var signature: [UInt8]

    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = parts[0] + "." + parts[1]
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }

    private static func object(_ text: String) -> [String: Any]? {
        bytes(text).flatMap { (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any] }
    }
}
