import Testing

@testable import RTCWire

@Suite struct ChannelDataTests {
    private func parse(_ bytes: [UInt8]) throws -> ChannelData {
        try bytes.withUnsafeBytes { try ChannelData(parsing: $0.bytes) }
    }

    @Test func headerAndPadding() throws {
        let message = try parse([0x4f, 0xff, 0, 2, 9, 8, 0, 0])
        #expect(message.number == 0x4fff && message.payload == 4..<6)
        #expect(ChannelData.header(number: 0x4fff, length: 2) == 0x4fff_0002)
        #expect(try parse([0x40, 0, 0, 0]).payload == 4..<4)
    }

    @Test func whatIsNone() {
        #expect(throws: WireError.truncated) { try parse([0x40, 0, 0]) }
        #expect(throws: WireError.invalidValue) { try parse([0x50, 0, 0, 0]) }
        #expect(throws: WireError.invalidValue) { try parse([0x3f, 0xff, 0, 0]) }
        #expect(throws: WireError.invalidLength) { try parse([0x40, 0, 0, 2, 9]) }
    }

    @Test func messagesFollowEachOtherOnAStream() throws {
        func length(_ bytes: [UInt8]) throws -> Int? { try bytes.withUnsafeBytes { try TURNFraming.length($0.bytes) } }
        #expect(try length([0x40, 0, 0]) == nil)
        #expect(try length([0x40, 0, 0, 5]) == 12)
        #expect(try length([0x01, 0x01, 0, 12]) == 32)
        #expect(throws: WireError.invalidVersion) { try length([0x80, 0, 0, 0]) }
    }
}
