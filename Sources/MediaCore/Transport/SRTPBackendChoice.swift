import RTCCore

/// The libraries that can seal and open SRTP.
public enum SRTPBackendChoice: String, Sendable, Hashable, CaseIterable {
    /// Our own SRTP over OpenSSL's libcrypto: the default, and the faster one.
    case libcrypto
    /// Cisco's libsrtp 2.
    case libsrtp2
}

extension SRTPBackendChoice {
    /// The same choice in the words of the transport.
    package var backend: SRTPBackend {
        switch self {
        case .libcrypto: .libcrypto
        case .libsrtp2: .libsrtp2
        }
    }
}
