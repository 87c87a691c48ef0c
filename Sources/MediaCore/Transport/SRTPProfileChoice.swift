import RTCCore

/// The ways in which SRTP seals packets, in the order in which we prefer them.
public enum SRTPProfileChoice: String, Sendable, Hashable, CaseIterable {
    /// SRTP_AEAD_AES_128_GCM (RFC 7714): the cheapest.
    case aes128GCM = "aes128-gcm"
    /// SRTP_AES128_CM_HMAC_SHA1_80 (RFC 3711): every WebRTC endpoint has it.
    case aes128CM = "aes128-cm-sha1-80"
    /// SRTP_AEAD_AES_256_GCM (RFC 7714): the longest keys.
    case aes256GCM = "aes256-gcm"

    /// What is offered where nothing else is asked for.
    public static let preferred: [SRTPProfileChoice] = [.aes128GCM, .aes128CM, .aes256GCM]
}

extension SRTPProfileChoice {
    /// The same choice in the words of the transport.
    package var profile: SRTPProfile {
        switch self {
        case .aes128GCM: .aeadAES128GCM
        case .aes128CM: .aes128CMSHA1_80
        case .aes256GCM: .aeadAES256GCM
        }
    }
}
