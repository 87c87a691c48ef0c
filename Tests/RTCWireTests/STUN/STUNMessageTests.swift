import RTCWire
import Testing

struct STUNMessageTests {
    private let transaction = STUNTransactionID(high: 0x0102_0304, low: 0x0506_0708_090a_0b0c)

    /// A stand-in for the HMAC, which is another room's: a sum over the input in every output byte.
    private static let sum: @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Void = {
        input, output in
        let value = input.reduce(0 as UInt8) { $0 &* 31 &+ $1 }
        for index in output.indices { output[index] = value &+ UInt8(index) }
    }

    private func request() -> [UInt8] {
        written { buffer in
            var builder = STUNMessageBuilder.bindingRequest(transaction, into: buffer)
            builder.add(.username, "remote:local")
            builder.add(.priority, 0x6e00_01ff as UInt32)
            builder.add(.iceControlling, 0xdead_beef_0000_0001 as UInt64)
            builder.add(.useCandidate)
            builder.addIntegrity(Self.sum)
            builder.addFingerprint()
            return builder.finish()
        }
    }

    @Test func requestGoesRound() throws {
        let bytes = request()
        let message = try stunMessage(bytes)
        #expect(message.messageClass == .request && message.method == .binding)
        #expect(message.transactionID == transaction && message.length == bytes.count)
        #expect(message.priority == 0x6e00_01ff && message.useCandidate)
        #expect(message.iceControlling == 0xdead_beef_0000_0001 && message.iceControlled == nil)
        #expect(message.unknownRequiredCount == 0)
        #expect(message.username(in: bytes) == "remote:local")
        #expect(message.integrityHolds(in: bytes, Self.sum) && message.fingerprintHolds(in: bytes))
        #expect(message.value(of: .priority, in: bytes) == hex("6e0001ff"))
        #expect(message.value(of: .software, in: bytes) == nil)
    }

    @Test func everyFlippedBitOfTheMessageBreaksItsFingerprint() throws {
        let bytes = request()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            guard let message = try? stunMessage(changed) else { continue }
            #expect(!message.fingerprintHolds(in: changed), "byte \(index)")
        }
    }

    @Test func integrityIsOverThePatchedLength() throws {
        let bytes = request()
        let message = try stunMessage(bytes)
        var seen: [UInt8] = []
        _ = message.integrityHolds(in: bytes) { input, _ in seen = Array(input) }
        let offset = bytes.count - 8 - 24
        #expect(seen.count == offset && Int(seen[2]) << 8 | Int(seen[3]) == offset + 24 - 20)
        #expect(seen[4...] == bytes[4..<offset])
    }

    @Test func withoutIntegrityNothingIsAuthentic() throws {
        let bytes = hex("0001 0000 2112a442 000000000000000000000000")
        let message = try stunMessage(bytes)
        #expect(!message.integrityHolds(in: bytes) { _, _ in })
        #expect(!message.fingerprintHolds(in: bytes))
    }

    @Test func attributesBehindIntegrityAreIgnored() throws {
        let bytes = written { buffer in
            var builder = STUNMessageBuilder.bindingRequest(transaction, into: buffer)
            builder.addIntegrity(Self.sum)
            builder.add(.useCandidate)
            builder.add(.priority, 1 as UInt32)
            return builder.finish()
        }
        let message = try stunMessage(bytes)
        #expect(!message.useCandidate && message.priority == nil)
        #expect(message.value(of: .priority, in: bytes) == nil)
    }

    @Test(arguments: STUNClass.allCases, [0x001, 0x003, 0x00f, 0x010, 0x07f, 0x080, 0xfff] as [UInt16])
    func typeBitsGoRound(messageClass: STUNClass, method: UInt16) throws {
        let method = STUNMethod(rawValue: method)
        let bytes = written { STUNMessageBuilder(messageClass, method, transaction, into: $0).finish() }
        let message = try stunMessage(bytes)
        #expect(message.messageClass == messageClass && message.method == method && bytes[0] & 0xc0 == 0)
    }

    @Test func errorAndUnknownAttributes() throws {
        let odd = hex("0001 0010 2112a442 000000000000000000000000 7001 0000 0002 0001 ff000000 c001 0000")
        let refused = try stunMessage(odd)
        #expect(refused.unknownRequiredCount == 2)
        #expect(refused.unknownRequired[0] == 0x7001 && refused.unknownRequired[1] == 0x0002)
        let bytes = written { buffer in
            var builder = STUNMessageBuilder(.error, .binding, refused.transactionID, into: buffer)
            builder.addErrorCode(420, reason: "Unknown Attribute")
            builder.addUnknownAttributes(of: refused)
            return builder.finish()
        }
        let answer = try stunMessage(bytes)
        #expect(answer.errorCode == 420 && answer.messageClass == .error)
        #expect(answer.value(of: .unknownAttributes, in: bytes) == hex("7001 0002"))
    }

    @Test(arguments: [
        TransportAddress(ipv4: 0x7f00_0001, port: 3478),
        TransportAddress(high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677, port: 65535),
    ])
    func addressesGoRound(address: TransportAddress) throws {
        let bytes = written { buffer in
            var builder = STUNMessageBuilder(.success, .binding, transaction, into: buffer)
            builder.addXOR(.xorMappedAddress, address)
            return builder.finish()
        }
        #expect(try stunMessage(bytes).mappedAddress == address)
    }

    @Test func plainMappedAddressIsSecondChoice() throws {
        let plain = hex("0101 000c 2112a442 000000000000000000000000 0001 0008 0001 1234 7f000001")
        #expect(try stunMessage(plain).mappedAddress == TransportAddress(ipv4: 0x7f00_0001, port: 0x1234))
    }

    @Test func overflowGivesNoMessage() {
        let whole = request().count
        for capacity in 0..<whole {
            let length = written(capacity) { buffer in
                var builder = STUNMessageBuilder.bindingRequest(transaction, into: buffer)
                builder.add(.username, "remote:local")
                builder.add(.priority, 1 as UInt32)
                builder.add(.iceControlling, 1 as UInt64)
                builder.add(.useCandidate)
                builder.addIntegrity(Self.sum)
                builder.addFingerprint()
                return builder.finish()
            }.count
            #expect(length == 0)
        }
    }
}

struct STUNRefusalTests {
    private static let cookie = "2112a442 000000000000000000000000"

    @Test(arguments: [
        ("0001 0000 2112a442 0000000000000000000000", WireError.truncated),
        ("0001 0000 2112a443 000000000000000000000000", .invalidVersion),
        ("4001 0000 \(cookie)", .invalidVersion),
        ("0001 0004 \(cookie)", .invalidLength),
        ("0001 0002 \(cookie) 0000", .invalidLength),
        ("0001 0004 \(cookie) 0006 0004", .invalidLength),
        ("0001 0008 \(cookie) 0024 0002 0000 0000", .invalidValue),
        ("0001 0008 \(cookie) 0025 0004 0000 0000", .invalidValue),
        ("0001 0008 \(cookie) 0008 0004 0000 0000", .invalidValue),
        ("0101 000c \(cookie) 0020 0008 0003 1234 00000000", .invalidValue),
        ("0101 000c \(cookie) 0020 0008 0002 1234 00000000", .invalidValue),
        ("0111 0008 \(cookie) 0009 0004 00000700", .invalidValue),
        ("0111 0008 \(cookie) 0009 0004 00000464", .invalidValue),
        ("0001 000c \(cookie) 8028 0004 00000000 0025 0000", .invalidValue),
    ])
    func malformed(text: String, error: WireError) {
        #expect(throws: error) { try stunMessage(hex(text)) }
    }
}
