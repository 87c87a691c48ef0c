import CCrypto
import RTCWire

/// Seals or opens the records of one direction by an AEAD: AES-GCM (RFC 5288 section 3) with an explicit nonce of eight
/// bytes before the ciphertext, ChaCha20-Poly1305 (RFC 7905 section 2) without.
///
/// The nonce is made from epoch and sequence number, which the record layer never gives twice.
final class RecordCipher {
    static let tagLength = 16
    private static let nonceLength = 12

    /// Bytes that a sealed record has beside its content: explicit nonce and tag.
    let overhead: Int
    private let context: OpaquePointer
    private let fixedIV: SecretBytes

    init(
        _ aead: TLSCipherSuite.AEAD, key: UnsafeRawBufferPointer, fixedIV: UnsafeRawBufferPointer, encrypts: Bool
    ) throws(CryptoError) {
        guard key.count == aead.keyLength, fixedIV.count == aead.fixedIVLength, let context = EVP_CIPHER_CTX_new()
        else { throw .library("setting up a record cipher") }
        overhead = aead.explicitNonceLength + RecordCipher.tagLength
        self.context = context
        self.fixedIV = SecretBytes(fixedIV)
        let bytes = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard EVP_CipherInit_ex(context, aead.cipher, nil, bytes, nil, encrypts ? 1 : 0) == 1 else {
            throw .library("setting up a record cipher")
        }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Writes the body of a record, `content.count + overhead` bytes, to `target`, which has room for them.
    func seal(
        _ content: UnsafeRawBufferPointer, _ header: DTLSRecordHeader, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let explicit = overhead - RecordCipher.tagLength
        guard target.count >= content.count + overhead, start(header, contentLength: content.count, explicit: nil)
        else { return false }
        if explicit > 0 { target.store(RecordCipher.number(header), at: 0) }
        var length: Int32 = 0
        guard let output = target.baseAddress.map({ $0 + explicit }) else { return false }
        return EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self), &length, content.octets, Int32(content.count)) == 1
            && EVP_CipherFinal_ex(context, (output + content.count).assumingMemoryBound(to: UInt8.self), &length) == 1
            && ccrypto_gcm_get_tag(context, output + content.count) == 1
    }

    /// Writes the content of a record to `target`, which has room for the body. Nil where the body is too short or was
    /// not sealed by the peer; then `target` holds nothing of worth.
    func open(
        _ body: UnsafeRawBufferPointer, _ header: DTLSRecordHeader, into target: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let explicit = overhead - RecordCipher.tagLength
        let count = body.count - overhead
        guard count >= 0, target.count >= count, let input = body.baseAddress,
            start(header, contentLength: count, explicit: explicit > 0 ? input : nil)
        else { return nil }
        let output = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let sealed = (input + explicit).assumingMemoryBound(to: UInt8.self)
        let tag = UnsafeMutableRawPointer(mutating: input + explicit + count)
        var length: Int32 = 0
        guard EVP_CipherUpdate(context, output, &length, sealed, Int32(count)) == 1,
            ccrypto_gcm_set_tag(context, tag) == 1,
            EVP_CipherFinal_ex(context, output.map { $0 + count }, &length) == 1
        else {
            ERR_clear_error()
            return nil
        }
        return count
    }

    /// Epoch and sequence number as one, as it stands in nonce and associated data.
    private static func number(_ header: DTLSRecordHeader) -> UInt64 { UInt64(header.epoch) << 48 | header.sequence }

    /// Nonce and associated data: epoch, sequence number, type, version, length of the content.
    private func start(_ header: DTLSRecordHeader, contentLength: Int, explicit: UnsafeRawPointer?) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { scratch in
            let number = RecordCipher.number(header)
            scratch.initializeMemory(as: UInt8.self, repeating: 0)
            scratch.store(number, at: 4)
            if let explicit {
                scratch.suffix(from: 4).copyMemory(from: UnsafeRawBufferPointer(start: explicit, count: 8))
            }
            fixedIV.withBytes { for index in $0.indices { scratch[index] ^= $0[index] } }
            let associated = scratch.suffix(from: 16)
            associated.store(number, at: 0)
            associated.store(header.type.rawValue, at: 8)
            associated.store(header.version, at: 9)
            associated.store(UInt16(truncatingIfNeeded: contentLength), at: 11)
            let bytes = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var length: Int32 = 0
            return EVP_CipherInit_ex(context, nil, nil, nil, bytes, -1) == 1
                && EVP_CipherUpdate(context, nil, &length, bytes.map { $0 + 16 }, 13) == 1
        }
    }
}

extension TLSCipherSuite.AEAD {
    var keyLength: Int { self == .aes128GCM ? 16 : 32 }
    /// What the key block gives: for AES-GCM the salt of the nonce, for ChaCha20 a mask of all of it.
    var fixedIVLength: Int { self == .chaCha20Poly1305 ? 12 : 4 }
    var explicitNonceLength: Int { self == .chaCha20Poly1305 ? 0 : 8 }

    fileprivate var cipher: OpaquePointer? {
        switch self {
        case .aes128GCM: EVP_aes_128_gcm()
        case .aes256GCM: EVP_aes_256_gcm()
        case .chaCha20Poly1305: EVP_chacha20_poly1305()
        }
    }
}
