/// Which library speaks DTLS. Both meet each other on the wire.
package enum DTLSBackend: String, Hashable, Sendable, CaseIterable {
    /// Our own DTLS 1.2 over libcrypto; the default.
    case own
    /// OpenSSL's libssl, of a version whose timer our clock can drive.
    case libssl
}

extension DTLSBackend {
    /// Throws `CryptoError.incompatibleOpenSSL` where the libssl that was loaded is none that our clock can drive; our own
    /// asks libcrypto for nothing that any OpenSSL from 3.0 on lacks.
    package func check() throws(CryptoError) {
        guard self == .own || DTLSClock.isOurs else {
            throw .incompatibleOpenSSL(version: OpenSSLLibrary.version)
        }
    }
}
