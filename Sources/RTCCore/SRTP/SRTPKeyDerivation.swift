import CCrypto
import RTCWire

/// Session keys from a master key, RFC 3711 section 4.3 with key derivation rate 0; RFC 7714 section 11 uses it as is,
/// its 12-byte salt filled up with zeros. The session keys are those of every source of the direction.
struct SRTPKeyDerivation {
    /// What a derived key is for: the label that enters the key stream.
    enum Label: UInt8 {
        case rtpEncryption = 0
        case rtpAuthentication = 1
        case rtpSalt = 2
        case rtcpEncryption = 3
        case rtcpAuthentication = 4
        case rtcpSalt = 5
    }

    let masterKey: [UInt8]
    let masterSalt: [UInt8]

    /// `count` bytes for a label: AES in counter mode over zeros.
    func key(_ label: Label, count: Int) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let cipher = masterKey.count == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr()
        var block = masterSalt + [UInt8](repeating: 0, count: max(0, 16 - masterSalt.count))
        block[7] ^= label.rawValue
        var key = [UInt8](repeating: 0, count: count)
        var written: Int32 = 0
        let made =
            EVP_EncryptInit_ex(context, cipher, nil, masterKey, block) == 1
            && EVP_EncryptUpdate(context, &key, &written, [UInt8](repeating: 0, count: count), Int32(count)) == 1
            && Int(written) == count
        guard made else { throw .library("SRTP key derivation") }
        return key
    }
}

/// A session salt as a number that the initial vector of a packet is added to.
struct SRTPSalt {
    private let high: UInt64
    private let low: UInt64

    /// Takes up to 16 bytes; missing ones are zero.
    init(_ bytes: [UInt8]) {
        var numbers: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &numbers) { target in
            bytes.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<min(16, $0.count)]))
            }
        }
        high = UInt64(bigEndian: numbers.0)
        low = UInt64(bigEndian: numbers.1)
    }

    /// The counter block of AES-CM, RFC 3711 section 4.1.1: SSRC in bytes 4-7, index in bytes 8-13, block counter 0.
    @inline(__always)
    func counterBlock(ssrc: UInt32, index: UInt64) -> (UInt64, UInt64) {
        ((high ^ UInt64(ssrc)).bigEndian, (low ^ index << 16).bigEndian)
    }

    /// The 12-byte initial vector of AES-GCM, RFC 7714 sections 8.1 and 9.1: SSRC in bytes 2-5, index in bytes 6-11.
    @inline(__always)
    func nonce(ssrc: UInt32, index: UInt64) -> (UInt64, UInt64) {
        ((high ^ UInt64(ssrc) << 16 ^ index >> 32).bigEndian, (low ^ index << 32).bigEndian)
    }
}
