import RTCCore

/// The libraries that can speak DTLS.
public enum DTLSBackendChoice: String, Sendable, Hashable, CaseIterable {
    /// Our own DTLS 1.2 over OpenSSL's libcrypto: the default.
    case own
    /// OpenSSL's libssl; of its versions 3.0 alone.
    case libssl
}

extension DTLSBackendChoice {
    /// The same choice in the words of the transport.
    package var backend: DTLSBackend {
        switch self {
        case .own: .own
        case .libssl: .libssl
        }
    }
}
