import Testing

@testable import RTCWire

/// Messages as python-zeroconf 0.154 writes them, and what can be wrong with one.
@Suite struct DNSMessageTests {
    private static let host = "0a1b2c3d-4e5f-4678-9abc-def012345678.local"

    private static let query = hex(
        """
        0000000000020000000000002430613162326333642d346535662d343637382d396162632d646566303132333435363738056c6f63616c00
        00018001c00c001c8001
        """)

    private static let answer = hex(
        """
        0000840000000002000000012430413142324333442d346535662d343637382d396162632d646566303132333435363738056c6f63616c00
        00018001000000780004c0000207c00c001c800100000078001020010db8000000000000000000000007
        c00c002f8001000000780008c00c000440000008
        """)

    private static let service = hex(
        """
        000084000000000200000000055f68747470045f746370056c6f63616c00000c000100001194000a075072696e746572c00c
        077072696e746572c01700018001000000780004c0000209
        """)

    private func parse(_ bytes: [UInt8]) throws(WireError) -> DNSMessage {
        try withSpan(bytes) { span throws(WireError) in try DNSMessage(parsing: span) }
    }

    @Test func aQueryAsksForBothFamiliesByUnicast() throws {
        let name = try #require(DNSName(Self.host))
        let message = try parse(Self.query)
        #expect(
            message.questions
                == [DNSQuestion(name, .a, wantsUnicast: true), DNSQuestion(name, .aaaa, wantsUnicast: true)])
        #expect(!message.isAnswer && message.answers.isEmpty)
        #expect(try parse(message.encoded) == message)
    }

    @Test func anAnswerTellsAddresses() throws {
        let name = try #require(DNSName(Self.host))
        let message = try parse(Self.answer)
        #expect(message.isAnswer && message.questions.isEmpty && message.authorities.isEmpty)
        let ipv4 = try #require(TransportAddress(host: "192.0.2.7", port: 0))
        let ipv6 = try #require(TransportAddress(host: "2001:db8::7", port: 0))
        #expect(
            message.answers == [
                DNSRecord(name, .address(ipv4), isWhole: true), DNSRecord(name, .address(ipv6), isWhole: true),
            ])
        #expect(message.additionals.first?.content == .other(DNSType(rawValue: 47), hex("c00c000440000008")))
        #expect(try parse(message.encoded) == message)
    }

    /// A pointer into the middle of another name.
    @Test func namesShareTheirEnds() throws {
        let message = try parse(Self.service)
        #expect(message.answers[0].name == DNSName("_http._tcp.local"))
        #expect(message.answers[0].timeToLive == 4500 && !message.answers[0].isWhole)
        #expect(message.answers[1].name == DNSName("Printer.local"))
        #expect(try parse(message.encoded) == message)
    }

    @Test func whatIsCutOffIsNone() {
        for bytes in [Self.query, Self.answer, Self.service] {
            for count in bytes.indices { #expect(throws: WireError.self) { try parse(Array(bytes[..<count])) } }
            #expect(throws: WireError.invalidLength) { try parse(bytes + [0]) }
        }
    }

    @Test func addressesHaveTheirLength() {
        let long = hex("000084000000000100000000 0161 00 0001 0001 00000078 0005 c000020700")
        #expect(throws: WireError.invalidLength) { try parse(long) }
        let short = hex("000084000000000100000000 0161 00 001c 0001 00000078 0004 c0000207")
        #expect(throws: WireError.invalidLength) { try parse(short) }
    }

    /// Of another class, or mapped: nothing that could be sent to.
    @Test func whatIsNoAddressIsKeptAsItStands() throws {
        let chaos = hex("000084000000000100000000 0161 00 0001 0003 00000078 0002 0102")
        #expect(try parse(chaos).answers[0].content == .other(.a, [1, 2]))
        let mapped = hex("000084000000000100000000 0161 00 001c 0001 00000078 0010 00000000000000000000ffffc0000207")
        let message = try parse(mapped)
        #expect(message.answers[0].content == .other(.aaaa, hex("00000000000000000000ffffc0000207")))
        #expect(try parse(message.encoded) == message)
    }

    @Test func countsAndSizesAreBounded() {
        #expect(throws: WireError.invalidValue) { try parse(hex("000000000081000000000000") + [0]) }
        #expect(throws: WireError.invalidValue) { try parse(hex("0000 0000 ffff ffff ffff ffff")) }
        #expect(throws: WireError.invalidLength) { try parse([UInt8](repeating: 0, count: 9001)) }
    }

    @Test(arguments: [(UInt16(0x8400), true), (0x8000, true), (0x8403, false), (0xa400, false), (0, false)])
    func responsesWithoutFaultAreAnswers(flags: UInt16, isAnswer: Bool) {
        var message = DNSMessage()
        message.flags = flags
        #expect(message.isAnswer == isAnswer)
    }
}
