import RTCWire
import Testing

/// Headers of records and fragments at their bounds, RFC 6347 sections 4.1 and 4.2.2.
@Suite struct DTLSHeaderTests {
    private func record(_ bytes: [UInt8]) throws(WireError) -> DTLSRecordHeader {
        try withSpan(bytes) { span throws(WireError) in try DTLSRecordHeader(parsing: span) }
    }

    private func fragment(_ bytes: [UInt8]) throws(WireError) -> DTLSHandshakeHeader {
        try withSpan(bytes) { span throws(WireError) in try DTLSHandshakeHeader(parsing: span) }
    }

    /// Content type, epoch, the 48 bits of the sequence number, and the length, each at its largest.
    @Test(arguments: DTLSRecordHeader.ContentType.allCases) func records(_ type: DTLSRecordHeader.ContentType) throws {
        for sequence in [0, 1, 0xffff_ffff, 0x1_0000_0000, DTLSRecordHeader.lastSequence] as [UInt64] {
            let header = DTLSRecordHeader(type: type, epoch: .max, sequence: sequence, bodyLength: 5)
            let bytes = written { target in
                header.store(to: target)
                return 18
            }
            #expect(try record(bytes) == header && bytes[0] == type.rawValue)
            // What the header does not own stays.
            #expect(Array(bytes[13...]) == [0xaa, 0xaa, 0xaa, 0xaa, 0xaa])
        }
    }

    @Test func theLongestRecord() throws {
        let head: [UInt8] = [23, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        #expect(try record(head + [UInt8](repeating: 0, count: 65_535)).bodyLength == 65_535)
        #expect(throws: WireError.invalidLength) { try record(head + [UInt8](repeating: 0, count: 65_534)) }
    }

    /// What RFC 7983 gives to others, and versions of TLS and of DTLS 1.3's own record.
    @Test func recordsThatAreNone() {
        let bytes: [UInt8] = [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for type in [0, 19, 24, 25, 63, 128] as [UInt8] {
            #expect(throws: WireError.unexpectedType) { try record([type] + bytes[1...]) }
        }
        for version in [[3, 1], [3, 3], [0xfe, 0xfc], [0xfe, 0xfe], [0xff, 0xfd]] as [[UInt8]] {
            #expect(throws: WireError.invalidVersion) { try record([22] + version + bytes[3...]) }
        }
        #expect(throws: Never.self) { try record([22, 0xfe, 0xff] + bytes[3...]) }
    }

    @Test(arguments: TLSHandshakeType.allCases) func fragments(_ type: TLSHandshakeType) throws {
        let header = DTLSHandshakeHeader(
            type: type, messageLength: 0xff_ffff, messageSequence: .max, fragmentOffset: 0xff_fffc, fragmentLength: 3)
        var appended: [UInt8] = []
        header.append(to: &appended)
        let stored = written { target in
            header.store(to: target)
            return 14
        }
        #expect(Array(stored.prefix(12)) == appended && stored[12] == 0xaa && stored[13] == 0xaa)
        #expect(appended == [type.rawValue, 255, 255, 255, 255, 255, 255, 255, 252, 0, 0, 3])
        #expect(try fragment(appended + [1, 2, 3]) == header)
        // A byte further and it would stand behind the message's end.
        appended[8] = 253
        #expect(throws: WireError.invalidLength) { try fragment(appended + [1, 2, 3]) }
    }

    /// ServerHelloDone has no body, and may also be cut into one fragment of nothing.
    @Test func messagesWithoutBody() throws {
        let done = try fragment([14, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0])
        #expect(done.type == .serverHelloDone && done.messageLength == 0 && done.fragmentLength == 0)
        #expect(throws: WireError.invalidLength) { try fragment([14, 0, 0, 0, 0, 5, 0, 0, 1, 0, 0, 0]) }
    }

    @Test func fragmentsThatAreNone() {
        for count in 0..<12 {
            #expect(throws: WireError.truncated) { try fragment([UInt8](repeating: 1, count: count)) }
        }
        for type in [4, 5, 8, 22, 24, 255] as [UInt8] {
            #expect(throws: WireError.unexpectedType) { try fragment([type] + [UInt8](repeating: 0, count: 11)) }
        }
        // Shorter than it says, by one byte.
        #expect(throws: WireError.invalidLength) { try fragment([1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 9]) }
    }
}
