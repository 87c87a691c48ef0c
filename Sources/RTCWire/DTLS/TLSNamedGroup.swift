/// Groups of the ephemeral key exchange, in order of preference: RFC 8422 section 5.1.1.
package enum TLSNamedGroup: UInt16, Hashable, Sendable, CaseIterable {
    case x25519 = 29
    case secp256r1 = 23

    /// Length of a public key on the wire: RFC 7748 section 6.1, and an uncompressed point.
    package var publicKeyLength: Int { self == .x25519 ? 32 : 65 }
}
