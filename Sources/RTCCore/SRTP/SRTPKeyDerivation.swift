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

    let master: SRTPMasterKey

    /// The first counter block of a label's key stream.
    private func counter(_ label: Label) -> SecretBytes {
        var block = [UInt8](repeating: 0, count: 16)
        defer { OPENSSL_cleanse(&block, block.count) }
        master.salt.withBytes { salt in for index in salt.indices.prefix(16) { block[index] = salt[index] } }
        block[7] ^= label.rawValue
        return SecretBytes(block)
    }

    /// `count` bytes for a label: AES in counter mode over zeros.
    func key(_ label: Label, count: Int) throws(CryptoError) -> SecretBytes {
        guard let context = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        let cipher = master.key.count == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr()
        let isReady = counter(label).withBytes { counter in
            master.key.withBytes { EVP_EncryptInit_ex(context, cipher, nil, $0.octets, counter.octets) == 1 }
        }
        let key = SecretBytes(count: count) { zeros in
            var written: Int32 = 0
            return isReady && EVP_EncryptUpdate(context, zeros.octets, &written, zeros.octets, Int32(count)) == 1
                && Int(written) == count
        }
        guard let key else { throw .library("SRTP key derivation") }
        return key
    }
}

/// A session salt as a number that the initial vector of a packet is added to.
struct SRTPSalt {
    private let high: UInt64
    private let low: UInt64

    /// Takes up to 16 bytes; missing ones are zero.
    init(_ bytes: SecretBytes) {
        var numbers: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &numbers) { target in
            bytes.withBytes {
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
