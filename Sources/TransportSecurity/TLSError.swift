import CCrypto
import NIOSSL

/// Why no TLS connection came to stand. The description names host or file, and the remedy.
package enum TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A file can't be read, or is not what it should be.
    case unusableFile(String, role: String, reason: String)
    /// Certificate and key don't belong together.
    case foreignKey(certificate: String, key: String)
    /// No root that we believe vouches for the certificate.
    case untrusted(peer: String, reason: String)
    /// The certificate is not valid now.
    case outdated(peer: String, reason: String)
    /// The certificate is somebody else's.
    case otherName(peer: String)
    /// The certificate is good, and none of the keys behind it is pinned.
    case notPinned(peer: String)
    /// The server demands a certificate of ours, and there is none.
    case demandsCertificate(peer: String)
    /// Our own certificate can't be presented.
    case identity(reason: String)
    /// What answers is no TLS.
    case notTLS(peer: String)
    /// The connection ended during the handshake.
    case closed(peer: String)
    /// Anything else, in the library's words.
    case failed(peer: String, reason: String)
    /// The library has no memory, or refuses a setting.
    case library(String)

    package var description: String {
        switch self {
        case .unusableFile(let file, let role, let reason):
            "the \(role) \"\(file)\" can't be used: \(reason); give a readable PEM file"
        case .foreignKey(let certificate, let key):
            "the key \"\(key)\" does not belong to the certificate \"\(certificate)\"; give the key it was made with"
        case .untrusted(let peer, let reason):
            "the certificate of \(peer) is not trusted (\(reason)); if it is a private one, give its root with --ca-file or CALLBRIDGE_CA_FILE"
        case .outdated(let peer, let reason):
            "the certificate of \(peer) is not valid now (\(reason)); renew it, or set this machine's clock"
        case .otherName(let peer):
            "the certificate of \(peer) is made out to another name; use the name that it was made for"
        case .notPinned(let peer):
            "none of the keys that vouch for \(peer) is pinned; if its key was changed on purpose, pin the new one, else do not go on"
        case .demandsCertificate(let peer):
            "\(peer) demands a client certificate; give one with --client-certificate, or ClientIdentity"
        case .identity(let reason): "the client certificate can't be used: \(reason); its key may be too short"
        case .notTLS(let peer):
            "\(peer) does not speak TLS; use the port that does, or a URL with ws:// or http://"
        case .closed(let peer): "\(peer) closed the connection during the TLS handshake"
        case .failed(let peer, let reason): "no TLS connection to \(peer): \(reason)"
        case .library(let what): "OpenSSL: \(what) failed"
        }
    }
}

extension TLSError {
    /// Why libcrypto refused a certificate.
    init(verification code: Int32, peer: String) {
        let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown"
        self =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .outdated(peer: peer, reason: reason)
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .otherName(peer: peer)
            default: .untrusted(peer: peer, reason: reason)
            }
    }

    /// What an error of NIOSSL means; nil for those of others, and for an end without goodbye.
    init?(_ error: any Error, peer: String) {
        switch error {
        case let error as TLSError: self = error
        case NIOSSLError.handshakeFailed(let cause): self.init(cause, peer: peer)
        case NIOSSLError.shutdownFailed: self = .closed(peer: peer)
        case let cause as BoringSSLError: self.init(cause, peer: peer)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .otherName(peer: peer)
        default: return nil
        }
    }

    private init(_ cause: BoringSSLError, peer: String) {
        let text = TLSError.words(cause)
        self =
            switch cause {
            case .sslError([.eofDuringHandshake]), .syscallError, .zeroReturn: .closed(peer: peer)
            case _ where Self.plain.contains(text): .notTLS(peer: peer)
            // A server of TLS 1.3 asks for our certificate when we are done already.
            case _ where text.contains("certificate required"): .demandsCertificate(peer: peer)
            default: .failed(peer: peer, reason: text)
            }
    }

    private static let plain: Set = [
        "wrong version number", "http request", "packet length too long", "unknown protocol",
    ]

    /// BoringSSL's first reason, such as "wrong version number", without its numbers and the line of its source.
    static func words(_ error: any Error) -> String {
        guard let cause = error as? BoringSSLError else { return "the library refuses it" }
        let stack: NIOBoringSSLErrorStack
        switch cause {
        case .sslError(let errors), .unknownError(let errors), .invalidSNIName(let errors),
            .failedToSetALPN(let errors):
            stack = errors
        default: stack = []
        }
        // error:CODE:LIBRARY:OPENSSL_internal:REASON at FILE:LINE
        guard let text = stack.first.map({ "\($0)" }), let start = text.firstRange(of: "OPENSSL_internal:") else {
            return "the handshake failed"
        }
        let reason = text[start.upperBound...].prefix { $0 != " " }
        return reason.lowercased().replacing("_", with: " ")
    }
}
