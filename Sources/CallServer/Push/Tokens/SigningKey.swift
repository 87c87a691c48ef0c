import CCrypto
import LiveKitProtocol

/// Signatures of JSON Web Tokens that a private key makes (RFC 7518 section 3.1).
enum SigningAlgorithm: String, Sendable, Hashable {
    /// ECDSA on P-256 with SHA-256, section 3.4.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, section 3.3.
    case rs256 = "RS256"
}

/// Why a text is no key for an algorithm. Says nothing of the key itself.
enum SigningKeyFault: Error, Hashable {
    /// No unencrypted private key in PEM.
    case notAKey
    case wrongKind(String, wanted: String)
    case library

    /// What is wrong, and what would be right.
    var words: String {
        switch self {
        case .notAKey:
            "it holds no private key in PEM; give the file as it was downloaded, beginning with -----BEGIN PRIVATE KEY-----"
        case .wrongKind(let found, let wanted):
            "it holds \(found), and \(wanted) is needed; give the key that was made for it"
        case .library: "libcrypto can't sign with it; check that libssl3 is installed whole"
        }
    }
}

/// A private key that signs tokens; libcrypto wipes it when it goes.
// The key is never changed once it is read, and libcrypto signs with one from any number of threads at once.
final class SigningKey: @unchecked Sendable {
    private static let shortestRSA: Int32 = 2_048
    let algorithm: SigningAlgorithm
    /// `EVP_PKEY *`
    private let key: OpaquePointer

    /// Reads PEM: PKCS#8, or the older forms of EC and RSA.
    init(pem: [UInt8], for algorithm: SigningAlgorithm) throws(SigningKeyFault) {
        defer { ERR_clear_error() }
        guard let key = Self.read(pem) else { throw .notAKey }
        self.key = key
        self.algorithm = algorithm
        // From here on the key is freed by deinit.
        if let fault = Self.fault(key, algorithm) { throw fault }
    }

    deinit { EVP_PKEY_free(key) }

    private static func read(_ pem: [UInt8]) -> OpaquePointer? {
        pem.withUnsafeBytes { bytes in
            guard let file = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(file) }
            // A key with a password is none: nobody is asked for it.
            return PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func fault(_ key: OpaquePointer, _ algorithm: SigningAlgorithm) -> SigningKeyFault? {
        switch algorithm {
        case .es256:
            guard EVP_PKEY_is_a(key, "EC") == 1 else {
                return .wrongKind(kind(key), wanted: "an EC key on the curve P-256")
            }
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return .library }
            let curve = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
            return curve == "prime256v1"
                ? nil : .wrongKind("an EC key on the curve \(curve)", wanted: "one on the curve P-256")
        case .rs256:
            guard EVP_PKEY_is_a(key, "RSA") == 1 else { return .wrongKind(kind(key), wanted: "an RSA key") }
            let bits = EVP_PKEY_get_bits(key)
            return bits >= shortestRSA
                ? nil : .wrongKind("an RSA key of \(bits) bits", wanted: "one of \(shortestRSA) bits or more")
        }
    }

    private static func kind(_ key: OpaquePointer) -> String {
        guard let name = EVP_PKEY_get0_type_name(key) else { return "a key of another kind" }
        return "a key of the kind \(String(cString: name))"
    }

    /// The signature of a text, as tokens have it; nil where libcrypto refuses.
    func sign(_ text: String) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        let content = Array(text.utf8)
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &length, content, content.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, content, content.count) == 1 else { return nil }
        signature.removeLast(signature.count - length)
        return algorithm == .es256 ? Self.joined(signature) : signature
    }

    /// R and S with 32 bytes each, of a signature in DER (RFC 7518 section 3.4).
    private static func joined(_ der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &cursor, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            var joined = [UInt8](repeating: 0, count: 64)
            let isWhole = joined.withUnsafeMutableBufferPointer { joined in
                guard let start = joined.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
            }
            return isWhole ? joined : nil
        }
    }
}

extension SigningKey {
    /// A token in its compact form (RFC 7515 section 7.1); nil where libcrypto refuses.
    ///
    /// - Parameters:
    ///   - header: beside `alg`.
    ///   - claims: JSON, an object.
    func token(header: [String: JSONValue], claims: [String: JSONValue]) -> String? {
        var header = header
        header["alg"] = .string(algorithm.rawValue)
        guard let head = JSONValue.object(header).text, let body = JSONValue.object(claims).text else { return nil }
        let text = "\(Base64.encodeURL(head.utf8)).\(Base64.encodeURL(body.utf8))"
        return sign(text).map { "\(text).\(Base64.encodeURL($0))" }
    }
}
