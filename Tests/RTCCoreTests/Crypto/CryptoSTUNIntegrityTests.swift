import RTCCore
import RTCWire
import Testing

/// MESSAGE-INTEGRITY of RFC 5769 and of real agents with our HMAC.
@Suite struct CryptoSTUNIntegrityTests {
    private struct RFC5769: Decodable {
        struct Vector: Decodable {
            var name: String
            var hex: String
            var messageIntegrityKeyHex: String
        }
        var vectors: [Vector]
    }

    @Test func rfc5769() throws {
        let vectors = try CryptoVectors.json("stun-rfc5769.json", as: RFC5769.self).vectors
        #expect(vectors.count == 4)
        for vector in vectors {
            let key = HMACSHA1(key: fromHex(vector.messageIntegrityKeyHex))
            let bytes = fromHex(vector.hex)
            #expect(try holds(bytes, key), "\(vector.name)")
            #expect(try !holds(bytes, HMACSHA1(password: "another")), "\(vector.name)")
            var tampered = bytes
            tampered[8] ^= 1
            #expect(try !holds(tampered, key), "\(vector.name)")
        }
    }

    private func holds(_ bytes: [UInt8], _ key: HMACSHA1) throws -> Bool {
        let message = try STUNMessage(parsing: bytes.span.bytes)
        return message.hasValidIntegrity(in: bytes.span.bytes) { key.authenticate($0, into: $1) }
    }
}
