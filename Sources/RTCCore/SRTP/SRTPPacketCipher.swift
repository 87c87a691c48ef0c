import CCrypto

/// The parts of one packet that a cipher works on, in place.
struct SRTPPacketParts {
    /// Authenticated, in the clear: the RTP header with its extensions, or the first eight bytes of RTCP. `body`
    /// follows it at once in memory.
    var header: UnsafeRawBufferPointer
    /// Encrypted and authenticated.
    var body: UnsafeMutableRawBufferPointer
    /// Where the tag stands or shall stand.
    var tag: UnsafeMutableRawBufferPointer
    var ssrc: UInt32
    /// 48 bits for RTP, 31 for RTCP.
    var index: UInt64
    /// RTCP: the index word with its E bit. Nil for RTP.
    var controlWord: UInt32?
}

/// Encryption and authentication of one direction's RTP or RTCP: one key, any number of sources.
enum SRTPPacketCipher {
    case gcm(AESGCMCipher)
    case counterMode(AESCounterModeCipher)

    enum Stream {
        case rtp
        case rtcp
    }

    init(
        _ profile: SRTPProfile, _ stream: Stream, _ master: SRTPMasterKey, encrypts: Bool
    ) throws(CryptoError) {
        let keys = SRTPKeyDerivation(master: master)
        let isRTP = stream == .rtp
        let cipherKey = try keys.key(isRTP ? .rtpEncryption : .rtcpEncryption, count: profile.keyLength)
        let sessionSalt = SRTPSalt(try keys.key(isRTP ? .rtpSalt : .rtcpSalt, count: profile.saltLength))
        switch profile {
        case .aeadAES128GCM, .aeadAES256GCM:
            self = .gcm(try AESGCMCipher(key: cipherKey, salt: sessionSalt, encrypts: encrypts))
        case .aes128CMSHA1_80:
            let authenticationKey = try keys.key(isRTP ? .rtpAuthentication : .rtcpAuthentication, count: 20)
            self = .counterMode(
                try AESCounterModeCipher(key: cipherKey, salt: sessionSalt, authenticationKey: authenticationKey))
        }
    }

    /// Encrypts the body and writes the tag.
    @inline(__always)
    func seal(_ parts: SRTPPacketParts) -> Bool {
        switch self {
        case .gcm(let cipher): cipher.seal(parts)
        case .counterMode(let cipher): cipher.seal(parts)
        }
    }

    /// Checks the tag and decrypts the body. Where it returns false the body is undefined.
    @inline(__always)
    func open(_ parts: SRTPPacketParts) -> Bool {
        switch self {
        case .gcm(let cipher): cipher.open(parts)
        case .counterMode(let cipher): cipher.open(parts)
        }
    }
}
