/// A DTLS-SRTP protection profile, RFC 5764 section 4.1.2 and RFC 7714 section 14.2.
///
/// In order of preference: AES-GCM costs less than half of AES-CM with HMAC-SHA1, and long keys cost more than short ones.
package enum SRTPProfile: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// SRTP_AEAD_AES_128_GCM: 16-byte tags.
    case aeadAES128GCM
    /// SRTP_AES128_CM_HMAC_SHA1_80: 10-byte tags; mandatory to implement (RFC 8827 section 6.5).
    case aes128CMSHA1_80
    /// SRTP_AEAD_AES_256_GCM: 16-byte tags; the longest keys, for those who insist on them.
    case aeadAES256GCM

    /// Our order of preference: AES-GCM costs less than half of AES-CM with HMAC-SHA1.
    package static let preferred: [SRTPProfile] = [.aeadAES128GCM, .aes128CMSHA1_80]

    /// The profile of a wire number, or nil for one we don't speak.
    package init?(wireID: UInt16) {
        guard let profile = SRTPProfile.allCases.first(where: { $0.wireID == wireID }) else { return nil }
        self = profile
    }

    /// The number in the use_srtp extension.
    package var wireID: UInt16 {
        switch self {
        case .aeadAES128GCM: 0x0007
        case .aes128CMSHA1_80: 0x0001
        case .aeadAES256GCM: 0x0008
        }
    }

    /// Length of the master key in bytes.
    package var keyLength: Int { self == .aeadAES256GCM ? 32 : 16 }

    /// Length of the master salt in bytes.
    package var saltLength: Int { isAEAD ? 12 : 14 }

    /// Length of the authentication tag in bytes, of RTP and RTCP alike.
    package var tagLength: Int { isAEAD ? 16 : 10 }

    /// What sealing adds to an RTP packet, in bytes.
    package var rtpOverhead: Int { tagLength }

    /// What sealing adds to an RTCP packet, in bytes: the tag and the index word.
    package var rtcpOverhead: Int { tagLength + 4 }

    /// OpenSSL's name of the profile.
    package var description: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aes128CMSHA1_80: "SRTP_AES128_CM_SHA1_80"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        }
    }

    /// Encryption and authentication are one operation, and RTCP's tag stands before its index word.
    var isAEAD: Bool { self != .aes128CMSHA1_80 }
}

/// Which library seals and opens packets. Both speak every profile and meet each other on the wire.
package enum SRTPBackend: String, Hashable, Sendable, CaseIterable {
    /// Our own SRTP over libcrypto's reused contexts; the default.
    case libcrypto
    /// libsrtp2, the field's reference.
    case libsrtp2
}
