import CCrypto

/// Why cryptography could not be set up. It is always the environment's fault: an unusual or exhausted libcrypto.
package enum CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcrypto or libssl refused a call that does not depend on input: which one, and libcrypto's own words.
    case libraryFailure(operation: String, detail: String)
    /// libsrtp2 refused to start or to make a session, with its status code.
    case srtpLibraryFailure(status: Int)
    /// libssl was chosen for DTLS, and the one that was loaded does not let us drive its retransmission timer.
    case incompatibleOpenSSL(version: String)
    /// Key or salt do not have the length that the profile asks for.
    case invalidKeyLength(profile: SRTPProfile, key: Int, salt: Int)

    package var description: String {
        switch self {
        case .libraryFailure(let operation, let detail):
            "libcrypto: \(operation) failed (\(detail)); check that libssl3 is installed whole and memory is left"
        case .srtpLibraryFailure(let status):
            "libsrtp2 refused with status \(status); use the SRTP backend libcrypto or reinstall libsrtp2-1"
        case .incompatibleOpenSSL(let version):
            "\(version) does not hand over its DTLS timer as OpenSSL 3.0 does, so handshakes could not be timed; "
                + "use the DTLS backend own, or run with the OpenSSL 3.0 of Debian 12 (libssl3)"
        case .invalidKeyLength(let profile, let key, let salt):
            "\(profile) takes a master key of \(profile.keyLength) and a salt of \(profile.saltLength) bytes, "
                + "not \(key) and \(salt)"
        }
    }

    /// The error of a libcrypto call that just failed. Empties the thread's error queue.
    static func library(_ operation: String) -> CryptoError {
        let code = ERR_get_error()
        ERR_clear_error()
        return .libraryFailure(operation: operation, detail: CryptoError.words(code))
    }

    /// libcrypto's own words for one of its error codes.
    static func words(_ code: UInt) -> String {
        guard code != 0, let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }
}
