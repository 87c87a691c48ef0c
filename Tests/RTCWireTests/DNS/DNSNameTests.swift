import Testing

@testable import RTCWire

@Suite struct DNSNameTests {
    private func parse(_ bytes: [UInt8], at start: Int = 0) throws(WireError) -> (name: DNSName, end: Int) {
        try withSpan(bytes) { span throws(WireError) in
            var offset = start
            let name = try DNSName(parsing: span, at: &offset)
            return (name, offset)
        }
    }

    @Test func namesAreComparedInLowerCase() throws {
        let read = try parse(hex("03 4142c3 05 4c6f63414c 00 ff"))
        #expect(read.end == 11)
        #expect(read.name.labels == [[0x61, 0x62, 0xc3], Array("local".utf8)])
        #expect(DNSName("A.b") == DNSName("a.B"))
    }

    @Test func theRootHasNoLabels() throws {
        #expect(try parse([0]).name.labels.isEmpty)
        #expect(DNSName("") == nil)
    }

    @Test func aPointerLeadsBack() throws {
        // `b.a` at 4, whose end is the name at 0, and a pointer to it at 9.
        let bytes = hex("01 61 00 ff 01 62 c000 ff c004 ff")
        #expect(try parse(bytes, at: 4).name == DNSName("b.a"))
        #expect(try parse(bytes, at: 4).end == 8)
        #expect(try parse(bytes, at: 9).name == DNSName("b.a"))
        #expect(try parse(bytes, at: 9).end == 11)
    }

    /// To itself, ahead, into its own labels, in a circle.
    @Test(arguments: ["c000", "c002 0161 00", "0161 c000", "0161 c002", "0161 0162 c002"])
    func noNameIsEndless(bytes: String) {
        #expect(throws: WireError.invalidValue) { try parse(hex(bytes)) }
    }

    @Test func reservedLengthsAreRefused() {
        #expect(throws: WireError.invalidValue) { try parse([0x40] + [UInt8](repeating: 0x61, count: 64) + [0]) }
        #expect(throws: WireError.invalidValue) { try parse([0x80, 0]) }
        #expect(throws: WireError.truncated) { try parse([0xc0]) }
        #expect(throws: WireError.truncated) { try parse([1]) }
        #expect(throws: WireError.truncated) { try parse([]) }
    }

    /// 255 bytes with lengths and end.
    @Test func namesAreBounded() throws {
        let label: [UInt8] = [63] + [UInt8](repeating: 0x61, count: 63)
        let labels: [UInt8] = label + label + label
        let longest: [UInt8] = labels + [61] + [UInt8](repeating: 0x61, count: 61) + [0]
        #expect(longest.count == 255)
        #expect(try parse(longest).end == 255)
        let longer: [UInt8] = labels + [62] + [UInt8](repeating: 0x61, count: 62) + [0]
        #expect(throws: WireError.invalidLength) { try parse(longer) }
        let text = [63, 63, 63, 61].map { String(repeating: "a", count: $0) }.joined(separator: ".")
        #expect(try DNSName(text) == parse(longest).name)
        #expect(DNSName(text + "a") == nil && DNSName(String(repeating: "a", count: 64)) == nil)
        #expect(DNSName("a..b") == nil && DNSName("a.") == nil)
    }
}
