import CCrypto
import RTCWire

/// Our half of one key exchange, RFC 8422 section 5.10. Never used twice; libcrypto wipes it when it goes.
final class EphemeralKey {
    let group: TLSNamedGroup
    /// As it stands on the wire.
    let publicKey: [UInt8]
    /// `EVP_PKEY *`
    private let key: OpaquePointer

    init(_ group: TLSNamedGroup) throws(CryptoError) {
        self.group = group
        guard let key = group == .x25519 ? ccrypto_x25519_key() : ccrypto_p256_key() else {
            throw .library("making an ephemeral key")
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = EVP_PKEY_get1_encoded_public_key(key, &encoded)
        publicKey = Array(UnsafeBufferPointer(start: encoded, count: length))
        CRYPTO_free(encoded, nil, 0)
        self.key = key
        guard length == group.publicKeyLength else { throw .library("encoding an ephemeral key") }
    }

    deinit { EVP_PKEY_free(key) }

    /// The shared secret; nil where the peer's key is none of the group: of another length or form, a point off the
    /// curve, or one of low order (RFC 7748 section 6.1).
    func agree(with peerKey: [UInt8]) -> SecretBytes? {
        defer { ERR_clear_error() }
        guard peerKey.count == group.publicKeyLength, group == .x25519 || peerKey.first == 4,
            let peer = EVP_PKEY_new()
        else { return nil }
        defer { EVP_PKEY_free(peer) }
        guard EVP_PKEY_copy_parameters(peer, key) == 1,
            EVP_PKEY_set1_encoded_public_key(peer, peerKey, peerKey.count) == 1,
            let context = EVP_PKEY_CTX_new(key, nil)
        else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1 else { return nil }
        return SecretBytes(count: EphemeralKey.secretLength) { output in
            var length = output.count
            let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_PKEY_derive(context, target, &length) == 1 && length == output.count
        }
    }

    /// Of both groups: the shared secret of X25519, and the x coordinate of a point of P-256.
    private static let secretLength = 32
}
