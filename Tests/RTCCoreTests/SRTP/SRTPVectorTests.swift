import RTCWire
import Testing

@testable import RTCCore

private struct SRTPVectors: Decodable {
    struct RFC3711: Decodable {
        struct KeyStream: Decodable {
            var sessionKey: String
            var initialCounter: String
            var keystreamBlocks: [String: String]
            var keystreamSegmentOctets: Int
        }
        struct Derivation: Decodable {
            var masterKey: String
            var masterSalt: String
            var cipherKey: String
            var cipherSalt: String
            var authKey94: String
        }
        var keyStream: KeyStream
        var derivation: Derivation
        enum CodingKeys: String, CodingKey {
            case keyStream = "B.2 AES-CM"
            case derivation = "B.3 key derivation"
        }
    }
    struct RFC7714: Decodable {
        struct Vector: Decodable {
            var section: String
            var sessionKey: String
            var sessionSalt: String
            var srtcpIndex: UInt32?
            var plainPacket: String
            var protectedPacket: String
        }
        var vectors: [Vector]
    }
    struct Library: Decodable {
        struct Profile: Decodable {
            struct Packet: Decodable {
                var kind: String
                var plain: String
                var protected: String
            }
            var profile: String
            var masterKey: String
            var masterSalt: String
            var packets: [Packet]
            var outOfOrderUnprotectOrder: [Int]
        }
        var profiles: [Profile]
    }
    var rfc3711: RFC3711
    var rfc7714: RFC7714
    var libsrtp: Library
}

@Suite struct SRTPVectorTests {
    private let vectors: SRTPVectors

    init() throws { vectors = try CryptoVectors.json("srtp-vectors.json") }

    private func secret(_ text: String) -> SecretBytes { SecretBytes(fromHex(text)) }

    /// RFC 3711 appendix B.2.
    @Test func keyStream() throws {
        let vector = vectors.rfc3711.keyStream
        let cipher = try AESCounterModeCipher(
            key: secret(vector.sessionKey), salt: SRTPSalt(SecretBytes(fromHex(vector.initialCounter).prefix(14))),
            authenticationKey: SecretBytes([1]))
        var bytes = [UInt8](repeating: 0, count: vector.keystreamSegmentOctets + 10)
        let sealed = bytes.withUnsafeMutableBytes { bytes in
            cipher.seal(
                SRTPPacketParts(
                    header: UnsafeRawBufferPointer(rebasing: bytes[..<0]),
                    body: UnsafeMutableRawBufferPointer(rebasing: bytes[..<vector.keystreamSegmentOctets]),
                    tag: UnsafeMutableRawBufferPointer(rebasing: bytes[vector.keystreamSegmentOctets...]),
                    ssrc: 0, index: 0, controlWord: nil))
        }
        #expect(sealed)
        for (block, value) in vector.keystreamBlocks {
            let offset = 16 * (Int(block) ?? 0)
            #expect(Array(bytes[offset..<(offset + 16)]) == fromHex(value), "block \(block)")
        }
    }

    /// RFC 3711 appendix B.3.
    @Test func keyDerivation() throws {
        let vector = vectors.rfc3711.derivation
        let master = SRTPMasterKey(key: secret(vector.masterKey), salt: secret(vector.masterSalt))
        let keys = SRTPKeyDerivation(master: master)
        #expect(try keys.key(.rtpEncryption, count: 16) == secret(vector.cipherKey))
        #expect(try keys.key(.rtpSalt, count: 14) == secret(vector.cipherSalt))
        #expect(try keys.key(.rtpAuthentication, count: 94) == secret(vector.authKey94))
    }

    /// RFC 7714 sections 16 and 17, with session keys.
    @Test func authenticatedEncryption() throws {
        #expect(vectors.rfc7714.vectors.count == 4)
        for vector in vectors.rfc7714.vectors {
            let plain = fromHex(vector.plainPacket)
            let expected = fromHex(vector.protectedPacket)
            for encrypts in [true, false] {
                let cipher = try AESGCMCipher(
                    key: secret(vector.sessionKey), salt: SRTPSalt(secret(vector.sessionSalt)), encrypts: encrypts)
                var bytes = encrypts ? plain + [UInt8](repeating: 0, count: 20) : expected
                let done = bytes.withUnsafeMutableBytes { bytes in
                    let parts = parts(bytes, plain.count, vector.srtcpIndex)
                    return encrypts ? cipher.seal(parts) : cipher.open(parts)
                }
                #expect(done, "section \(vector.section)")
                let tagged = plain.count + 16
                if encrypts {
                    #expect(Array(bytes[..<tagged]) == Array(expected[..<tagged]), "section \(vector.section)")
                } else {
                    #expect(Array(bytes[..<plain.count]) == plain, "section \(vector.section)")
                }
            }
        }
    }

    private func parts(_ bytes: UnsafeMutableRawBufferPointer, _ length: Int, _ index: UInt32?) -> SRTPPacketParts {
        let whole = UnsafeRawBufferPointer(bytes).bytes
        if let index {
            return SRTCPPacket.parts(
                of: bytes, length: length, profile: .aeadAES128GCM, ssrc: whole.uint32(4),
                word: index | SRTCPPacket.encryptedFlag)
        }
        return SRTPPacketParts(
            header: UnsafeRawBufferPointer(rebasing: bytes[..<12]),
            body: UnsafeMutableRawBufferPointer(rebasing: bytes[12..<length]),
            tag: UnsafeMutableRawBufferPointer(rebasing: bytes[length..<(length + 16)]),
            ssrc: whole.uint32(8), index: UInt64(whole.uint16(2)), controlWord: nil)
    }

    /// Packets sealed by libsrtp over a roll-over: sealing gives the same bytes, opening works in and out of order.
    @Test(arguments: SRTPBackend.allCases) func packetsOfLibsrtp(_ backend: SRTPBackend) throws {
        #expect(vectors.libsrtp.profiles.count == 3)
        for vector in vectors.libsrtp.profiles {
            let profile = try #require(SRTPProfile.allCases.first { $0.description == vector.profile })
            let (key, salt) = (fromHex(vector.masterKey), fromHex(vector.masterSalt))
            let keys = SRTPKeyingMaterial(
                profile: profile, clientKey: key, clientSalt: salt, serverKey: key, serverSalt: salt)
            let session = try SRTPEndpoint(keys: keys, role: .client, backend: backend)
            for packet in vector.packets {
                let plain = fromHex(packet.plain)
                let rtcp = packet.kind == "rtcp"
                let sealed = session.sealed(plain, rtcp: rtcp, headerLength: rtcp ? 0 : try headerLength(plain))
                #expect(sealed == fromHex(packet.protected))
            }
            for order in [Array(vector.packets.indices), vector.outOfOrderUnprotectOrder] {
                let session = try SRTPEndpoint(keys: keys, role: .server, backend: backend)
                for index in order {
                    let (plain, sealed) = (
                        fromHex(vector.packets[index].plain), fromHex(vector.packets[index].protected)
                    )
                    let rtcp = vector.packets[index].kind == "rtcp"
                    let opened = session.opened(sealed, rtcp: rtcp, headerLength: rtcp ? 0 : try headerLength(sealed))
                    #expect(opened == plain)
                }
            }
        }
    }

    private func headerLength(_ packet: [UInt8]) throws -> Int {
        try RTPHeader(parsing: packet.span.bytes, encrypted: true).payloadOffset
    }
}
