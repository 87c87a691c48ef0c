import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSKeyTests {
    /// The vectors that implementers of TLS 1.2 exchanged on the IETF's TLS list.
    @Test(arguments: [
        (
            false, "9bbe436ba940f017b17652849a71db35", "a0ba9f936cda311827a6f796ffd5198c",
            "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7"
                + "077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66"
        ),
        (
            true, "b80b733d6ceefcdc71566ea48e5567df", "cd665cf6a8447dd6ff8b27555edb7465",
            "7b0c18e9ced410ed1804f2cfa34a336a1c14dffb4900bb5fd7942107e81c83cde9ca0faa60be9fe34f82b1233c9146a0e534cb40"
                + "0fed2700884f9dc236f80edd8bfa961144c9e8d792eca722a7b32fc3d416d473ebc2c5fd4abfdad05d9184259b5bf8cd4d90fa0d"
                + "31e2dec479e4f1a26066f2eea9a69236a3e52655c9e9aee691c8f3a26854308d5eaa3be85e0990703d73e56f"
        ),
    ])
    func pseudoRandomFunction(_ usesSHA384: Bool, _ key: String, _ seed: String, _ output: String) throws {
        let expected = bytes(output)
        let derived = try TLSPRF.derive(
            SecretBytes(bytes(key)), label: "test label", seed: bytes(seed), count: expected.count,
            usesSHA384: usesSHA384)
        #expect(derived.withBytes { Array($0) } == expected)
    }

    @Test(arguments: TLSNamedGroup.allCases) func bothSidesOfAGroupAgree(_ group: TLSNamedGroup) throws {
        let (a, b) = (try EphemeralKey(group), try EphemeralKey(group))
        let (left, right) = (try #require(a.agree(with: b.publicKey)), try #require(b.agree(with: a.publicKey)))
        #expect(left.withBytes { Array($0) } == right.withBytes { Array($0) } && left.count == 32)
        #expect(a.publicKey != b.publicKey && a.publicKey.count == group.publicKeyLength)
    }

    /// Keys of another length or form, off the curve, and of low order (RFC 7748 section 6.1).
    @Test(arguments: TLSNamedGroup.allCases) func badPeerKeysAreRefused(_ group: TLSNamedGroup) throws {
        let own = try EphemeralKey(group)
        var off = try EphemeralKey(group).publicKey
        off[off.count - 1] ^= 1
        var compressed = off
        compressed[0] = 2
        let zeros = [UInt8](repeating: 0, count: group.publicKeyLength)
        let refused = [[], zeros, Array(own.publicKey.dropLast()), own.publicKey + [0]]
        for key in refused + (group == .secp256r1 ? [off, compressed] : [[1] + zeros.dropFirst()]) {
            #expect(own.agree(with: key) == nil)
        }
    }

    @Test(arguments: TLSKeyKind.allCases) func signaturesHoldForWhatWasSigned(_ kind: TLSKeyKind) throws {
        let certificate = try DTLSCertificate.generate(kind)
        let peer = try #require(PeerCertificate(der: certificate.der))
        #expect(peer.kind == kind && certificate.fingerprint.matches(der: peer.der))
        for scheme in TLSSignatureScheme.allCases {
            guard scheme.keyKind == kind else {
                #expect(throws: HandshakeFault.self) { try certificate.sign([1], accepted: [scheme.rawValue]) }
                continue
            }
            var signature = try certificate.sign([1, 2, 3], accepted: [0x0201, scheme.rawValue])
            #expect(signature.scheme == scheme.rawValue && peer.hasSigned([1, 2, 3], signature))
            #expect(!peer.hasSigned([1, 2, 4], signature))
            for other in TLSSignatureScheme.allCases where other != scheme {
                #expect(!peer.hasSigned([1, 2, 3], TLSSignature(scheme: other.rawValue, value: signature.value)))
            }
            signature.value[signature.value.count / 2] ^= 1
            #expect(!peer.hasSigned([1, 2, 3], signature))
        }
        #expect(!peer.hasSigned([1], TLSSignature(scheme: 0x0201, value: [])), "SHA-1")
    }

    @Test func whatIsNoCertificateIsRefused() throws {
        let der = try DTLSCertificate.generate().der
        #expect(PeerCertificate(der: []) == nil && PeerCertificate(der: Array(der.dropLast())) == nil)
        #expect(
            PeerCertificate(der: der + [0]) == nil && PeerCertificate(der: [UInt8](repeating: 0x30, count: 99)) == nil)
    }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
