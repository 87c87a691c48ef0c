/// How handshake messages are signed, RFC 5246 section 7.4.1.4.1 by the numbers of RFC 8446 section 4.2.3, in order of
/// preference. Under TLS 1.2 an ECDSA scheme names a hash and no curve.
package enum TLSSignatureScheme: UInt16, Hashable, Sendable, CaseIterable {
    case ecdsaSHA256 = 0x0403
    case ecdsaSHA384 = 0x0503
    case ecdsaSHA512 = 0x0603
    case rsaPSSSHA256 = 0x0804
    case rsaPSSSHA384 = 0x0805
    case rsaPSSSHA512 = 0x0806
    case rsaPKCS1SHA256 = 0x0401
    case rsaPKCS1SHA384 = 0x0501
    case rsaPKCS1SHA512 = 0x0601

    package enum Hash: Hashable, Sendable { case sha256, sha384, sha512 }

    package var hash: Hash {
        switch self {
        case .ecdsaSHA256, .rsaPSSSHA256, .rsaPKCS1SHA256: .sha256
        case .ecdsaSHA384, .rsaPSSSHA384, .rsaPKCS1SHA384: .sha384
        case .ecdsaSHA512, .rsaPSSSHA512, .rsaPKCS1SHA512: .sha512
        }
    }

    /// The kind of key that signs so.
    package var keyKind: TLSKeyKind {
        switch self {
        case .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512: .ecdsa
        default: .rsa
        }
    }

    /// RSASSA-PSS (RFC 8017 section 8.1) with a salt as long as the hash.
    package var isPSS: Bool {
        switch self {
        case .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512: true
        default: false
        }
    }
}
