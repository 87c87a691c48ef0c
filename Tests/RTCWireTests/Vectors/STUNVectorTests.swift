import RTCWire
import Testing

/// RFC 5769 section 2, and binding exchanges of Chromium and aioice.
struct STUNVectorTests {
    struct RFC: Decodable {
        struct Vector: Decodable {
            var name: String
            var hex: String
            var username: String?
            var software: String?
            var priority: UInt32?
            var iceControlled: String?
            var xorMappedAddress: String?
            var checked: [String: Bool]
            var transactionId: String
        }

        var vectors: [Vector]
    }

    struct Recorded: Decodable {
        struct Session: Decodable {
            struct Message: Decodable {
                var type: String
                var transactionId: String
                var attributes: [String]
                var hex: String
            }

            var messages: [Message]
        }

        var sessions: [Session]
    }

    private let addresses = [
        "192.0.2.1:32853": TransportAddress(ipv4: 0xc000_0201, port: 32853),
        "[2001:db8:1234:5678:11:2233:4455:6677]:32853":
            TransportAddress(high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677, port: 32853),
    ]

    @Test func rfc5769() throws {
        let vectors = try VectorFiles.json("stun-rfc5769.json", as: RFC.self).vectors
        #expect(vectors.count == 4)
        for vector in vectors {
            let bytes = hex(vector.hex)
            let message = try stunMessage(bytes)
            #expect(Self.transactionText(message) == vector.transactionId)
            #expect(message.priority == vector.priority)
            #expect(message.mappedAddress == vector.xorMappedAddress.flatMap { addresses[$0] })
            #expect(message.iceControlled == vector.iceControlled.flatMap { UInt64($0, radix: 16) })
            #expect(message.integrityOffset != nil && message.unknownRequiredCount == 0)
            #expect(message.username(in: bytes) == vector.username)
            #expect(message.fingerprintHolds(in: bytes) == (vector.checked["fp"] ?? false))
            #expect(message.value(of: .software, in: bytes) == vector.software.map { Array($0.utf8) })
        }
    }

    @Test(arguments: ["stun-opus-red-dtmf.json", "stun-opus-dtx.json"])
    func recordedBindings(file: String) throws {
        let sessions = try VectorFiles.json(file, as: Recorded.self).sessions
        var roleConflicts = 0
        for recorded in sessions.flatMap(\.messages) {
            let bytes = hex(recorded.hex)
            let message = try stunMessage(bytes)
            #expect("binding \(message.messageClass)" == recorded.type && message.method == .binding)
            #expect(Self.transactionText(message) == recorded.transactionId)
            #expect(message.useCandidate == recorded.attributes.contains("0x0025"))
            #expect((message.priority != nil) == recorded.attributes.contains("0x0024"))
            #expect((message.iceControlled != nil) == recorded.attributes.contains("0x8029"))
            #expect((message.iceControlling != nil) == recorded.attributes.contains("0x802a"))
            #expect((message.username != nil) == recorded.attributes.contains("0x0006"))
            #expect((message.mappedAddress != nil) == recorded.attributes.contains("0x0020"))
            #expect(message.integrityOffset != nil && message.unknownRequiredCount == 0)
            #expect(message.fingerprintHolds(in: bytes))
            if message.errorCode == 487 { roleConflicts += 1 }
        }
        #expect(roleConflicts == (file == "stun-opus-dtx.json" ? 3 : 0))
    }

    private static func transactionText(_ message: STUNMessage) -> String {
        let id = message.transactionID
        return hexText(UInt64(id.high), digits: 8) + hexText(id.low, digits: 16)
    }

    private static func hexText(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
