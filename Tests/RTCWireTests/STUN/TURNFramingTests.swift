import RTCWire
import Testing

/// ChannelData and the framing of streams, RFC 8656 sections 3.1 and 12.4.
@Suite struct TURNFramingTests {
    private func channelData(_ text: String) throws -> ChannelData {
        try withSpan(hex(text)) { span throws(WireError) in try ChannelData(parsing: span) }
    }

    private func length(_ text: String) throws -> Int? {
        try withSpan(hex(text)) { span throws(WireError) in try TURNFraming.length(span) }
    }

    @Test(arguments: [
        ("4000 0003 aabbcc", 0x4000, 3), ("4fff 0000", 0x4fff, 0), ("4001 0003 aabbcc 00", 0x4001, 3),
        ("4001 0001 aa ffffff", 0x4001, 1),
    ])
    func messages(_ text: String, number: UInt16, count: Int) throws {
        let message = try channelData(text)
        #expect(message.number == number && message.payload == 4..<(4 + count))
        #expect(ChannelData.header(number: number, length: count) == UInt32(number) << 16 | UInt32(count))
    }

    /// Numbers are 0x4000...0x4fff since RFC 8656; what lies above was another specification's.
    @Test(arguments: [
        ("400000", WireError.truncated), ("3fff 0000", .invalidValue), ("5000 0000", .invalidValue),
        ("7fff 0000", .invalidValue), ("4000 0001", .invalidLength), ("4000 ffff aabb", .invalidLength),
    ])
    func refusals(_ text: String, error: WireError) {
        #expect(throws: error) { try channelData(text) }
    }

    /// On a stream ChannelData is padded to whole words, STUN messages are whole already.
    @Test(
        arguments: [
            ("4000 0000", 4), ("4000 0001", 8), ("4000 0004", 8), ("4000 0005 aa", 12), ("4000 ffff", 65_540),
            ("0001 0000 2112a442", 20), ("0113 0008", 28), ("400000", nil), ("", nil),
        ] as [(String, Int?)])
    func lengths(_ text: String, expected: Int?) throws {
        #expect(try length(text) == expected)
    }

    @Test(arguments: ["8000 0000", "c000 0000", "ffff ffff"]) func whatIsNeither(_ text: String) {
        #expect(throws: WireError.invalidVersion) { try length(text) }
    }
}
