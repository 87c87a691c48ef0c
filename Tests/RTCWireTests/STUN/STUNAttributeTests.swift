import RTCWire
import Testing

/// What attributes look like on the wire, RFC 8489 section 14, RFC 8445 section 16.1, RFC 8656 section 18.
@Suite struct STUNAttributeTests {
    private let id = STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae)
    private let v4 = TransportAddress(ipv4: 0xc000_0201, port: 32_853)
    private let v6 = TransportAddress(high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677, port: 32_853)

    private func message(
        _ messageClass: STUNClass = .request, _ method: STUNMethod = .binding, capacity: Int = 1024,
        _ body: (inout STUNMessageBuilder) -> Void = { _ in }
    ) -> [UInt8] {
        written(capacity) { buffer in
            var builder = STUNMessageBuilder(messageClass, method, id, into: buffer)
            body(&builder)
            return builder.finish()
        }
    }

    /// The attributes alone, as hexadecimal text.
    private func attributes(_ body: (inout STUNMessageBuilder) -> Void) -> [UInt8] {
        Array(message(.request, .binding, body).dropFirst(20))
    }

    @Test func theHeader() {
        #expect(message() == hex("0001 0000 2112a442 b7e7a701bc34d686fa87dfae"))
        #expect(message(.success) == hex("0101 0000 2112a442 b7e7a701bc34d686fa87dfae"))
        #expect(message(.error, .allocate) == hex("0113 0000 2112a442 b7e7a701bc34d686fa87dfae"))
        #expect(message(.indication, .data) == hex("0017 0000 2112a442 b7e7a701bc34d686fa87dfae"))
    }

    @Test func numbersAndFlags() {
        #expect(attributes { $0.add(.priority, 0x6e00_01ff as UInt32) } == hex("0024 0004 6e0001ff"))
        #expect(
            attributes { $0.add(.iceControlled, 0x932f_f9b1_5126_3b36 as UInt64) } == hex("8029 0008 932ff9b151263b36"))
        #expect(attributes { $0.add(.useCandidate) } == hex("0025 0000"))
    }

    /// Values are padded with zeros, which their length doesn't count.
    @Test(arguments: [
        ("", "0006 0000"), ("a", "0006 0001 61000000"), ("abcd", "0006 0004 61626364"),
        ("abcde", "0006 0005 61626364 65000000"),
    ])
    func texts(_ text: String, expected: String) throws {
        #expect(attributes { $0.add(.username, text) } == hex(expected))
        let bytes = message { $0.add(.username, text) }
        #expect(try stunMessage(bytes).username(in: bytes) == text)
    }

    /// The addresses of RFC 5769 sections 2.2 and 2.3.
    @Test func xoredAddresses() throws {
        #expect(attributes { $0.addXOR(.xorMappedAddress, v4) } == hex("0020 0008 0001 a147 e112a643"))
        #expect(
            attributes { $0.addXOR(.xorMappedAddress, v6) }
                == hex("0020 0014 0002 a147 0113a9faa5d3f179bc25f4b5bed2b9d9"))
        for address in [v4, v6] {
            #expect(try stunMessage(message { $0.addXOR(.xorMappedAddress, address) }).mappedAddress == address)
        }
    }

    /// A family and a length that don't belong together.
    @Test(arguments: ["0020 0008 0002 a147 e112a643", "0020 0004 0001 a147", "0001 0008 0003 0001 01020304"])
    func addressesThatAreNone(_ text: String) {
        let body = hex(text)
        let bytes = hex("0101") + [0, UInt8(body.count)] + hex("2112a442 b7e7a701bc34d686fa87dfae") + body
        #expect(throws: WireError.invalidValue) { try stunMessage(bytes) }
    }

    @Test(arguments: [
        (300, "0009 0005 00000300 78"), (401, "0009 0005 00000401 78"), (420, "0009 0005 00000414 78"),
        (487, "0009 0005 00000457 78"), (699, "0009 0005 00000663 78"),
    ])
    func errorCodes(_ code: UInt16, expected: String) throws {
        #expect(attributes { $0.addErrorCode(code, reason: "x") } == hex(expected + "000000"))
        #expect(try stunMessage(message(.error) { $0.addErrorCode(code, reason: "") }).errorCode == code)
    }

    @Test(arguments: ["00000200", "00000700", "00000464"]) func codesOutOfRange(_ value: String) {
        let bytes = hex("0111 0008 2112a442 b7e7a701bc34d686fa87dfae 0009 0004 \(value)")
        #expect(throws: WireError.invalidValue) { try stunMessage(bytes) }
    }

    /// Section 14.9: the types that were not understood, eight at most.
    @Test func unknownAttributesAreNamed() throws {
        let request = try stunMessage(
            message { builder in
                for type in 0..<12 as Range<UInt16> { builder.add(STUNAttribute(rawValue: 0x7000 + type)) }
                builder.add(STUNAttribute(rawValue: 0xf000))
            })
        #expect(request.unknownRequiredCount == 8)
        let bytes = message(.error) { $0.addUnknownAttributes(of: request) }
        let named = try stunMessage(bytes).value(of: .unknownAttributes, in: bytes)
        #expect(named == hex("7000 7001 7002 7003 7004 7005 7006 7007"))
    }

    @Test func whichTypesMustBeUnderstood() {
        #expect(
            STUNAttribute(rawValue: 0x7fff).isComprehensionRequired
                && !STUNAttribute(rawValue: 0x8000).isComprehensionRequired)
        let known: [STUNAttribute] = [
            .mappedAddress, .username, .messageIntegrity, .errorCode, .unknownAttributes, .channelNumber, .lifetime,
            .xorPeerAddress, .data, .realm, .nonce, .xorRelayedAddress, .requestedTransport, .messageIntegritySHA256,
            .xorMappedAddress, .priority, .useCandidate, .software, .fingerprint, .iceControlled, .iceControlling,
        ]
        #expect(known.allSatisfy(\.isKnown) && Set(known).count == known.count)
        #expect(!STUNAttribute(rawValue: 0x0002).isKnown && !STUNAttribute(rawValue: 0x7777).isKnown)
    }

    /// A second USERNAME is none; what doesn't fit its type makes the message none.
    @Test func repetitionsAndLengths() throws {
        let twice = message {
            $0.add(.username, "first")
            $0.add(.username, "second")
        }
        #expect(try stunMessage(twice).username(in: twice) == "first")
        for (type, length) in [(0x24, 3), (0x25, 4), (0x8029, 4), (0x802a, 12), (0x0008, 16), (0x0006, 512)]
            as [(UInt16, Int)]
        {
            let value = [UInt8](repeating: 1, count: length)
            let bytes = message { builder in
                value.withUnsafeBytes { builder.add(STUNAttribute(rawValue: type), $0) }
            }
            #expect(throws: WireError.invalidValue) { try stunMessage(bytes) }
        }
    }

    /// FINGERPRINT is the last attribute, section 14.7.
    @Test func nothingFollowsTheFingerprint() {
        let bytes = message {
            $0.addFingerprint()
            $0.add(.useCandidate)
        }
        #expect(throws: WireError.invalidValue) { try stunMessage(bytes) }
    }

    @Test(arguments: [0, 19, 20, 27]) func aMessageThatDoesNotFitIsNone(_ capacity: Int) {
        let bytes = message(.request, .binding, capacity: capacity) { $0.add(.priority, 1 as UInt32) }
        #expect(bytes.isEmpty)
        #expect(message(.request, .binding, capacity: 28) { $0.add(.priority, 1 as UInt32) }.count == 28)
    }

    // MARK: TURN

    @Test func turnAttributes() throws {
        let bytes = message(.success, .allocate) {
            $0.add(.lifetime, 600 as UInt32)
            $0.add(.channelNumber, 0x4001_0000 as UInt32)
            $0.add(.requestedTransport, 0x1100_0000 as UInt32)
            $0.addXOR(.xorRelayedAddress, v4)
            $0.addXOR(.xorPeerAddress, v6)
            $0.add(.realm, "example.org")
            $0.add(.nonce, "ñ")
        }
        let message = try stunMessage(bytes)
        let read = TURNFacts(message, bytes)
        #expect(read.lifetime == 600 && read.channelNumber == 0x4001 && read.requestedTransport == 17)
        #expect(read.relayed == v4 && read.peer == v6 && read.realm == "example.org" && read.nonce == "ñ")
        #expect(read.alternate == nil)
        #expect(message.method == .allocate && message.unknownRequiredCount == 0)
    }

    /// Wrong lengths are as good as nothing.
    @Test func malformedTURNAttributesAreAbsent() throws {
        let long = String(repeating: "n", count: 764)
        let bytes = message(.success, .allocate) {
            $0.add(.lifetime, 600 as UInt64)
            $0.add(.xorRelayedAddress, 1 as UInt32)
            $0.add(.realm, long)
        }
        let message = try stunMessage(bytes)
        let read = TURNFacts(message, bytes)
        #expect(read.lifetime == nil && read.relayed == nil && read.realm == nil)
    }

    /// ALTERNATE-SERVER is not XORed (RFC 8489 section 14.15).
    @Test func alternateServers() throws {
        let bytes = message(.error, .allocate) { builder in
            hex("0001 0d96 c0000201").withUnsafeBytes { builder.add(.alternateServer, $0) }
        }
        let message = try stunMessage(bytes)
        #expect(TURNFacts(message, bytes).alternate == TransportAddress(ipv4: 0xc000_0201, port: 3478))
    }

    @Test func methodsHaveTwelveBits() {
        #expect(STUNMethod(rawValue: 0xf001) == .binding)
        #expect(
            [STUNMethod.binding, .allocate, .refresh, .send, .data, .createPermission, .channelBind].map(\.rawValue)
                == [1, 3, 4, 6, 7, 8, 9])
    }
}

/// What a message's TURN attributes say, out of the span.
private struct TURNFacts {
    let lifetime: UInt32?
    let channelNumber: UInt16?
    let requestedTransport: UInt8?
    let relayed: TransportAddress?
    let peer: TransportAddress?
    let alternate: TransportAddress?
    let realm: String?
    let nonce: String?

    init(_ message: STUNMessage, _ bytes: [UInt8]) {
        let span = bytes.span.bytes
        lifetime = message.lifetime(in: span)
        channelNumber = message.channelNumber(in: span)
        requestedTransport = message.requestedTransport(in: span)
        relayed = message.relayedAddress(in: span)
        peer = message.peerAddress(in: span)
        alternate = message.alternateServer(in: span)
        realm = message.text(.realm, in: span)
        nonce = message.text(.nonce, in: span)
    }
}
