import Testing

@testable import RTCWire

/// Why a handshake message is none, message by message, with the message beside it that is one.
@Suite struct TLSRefusalTests {
    private static let random = String(repeating: "07", count: 32)

    private func clientHello(_ text: String) throws(WireError) -> TLSClientHello {
        try TLSClientHello(parsing: hex("fefd" + Self.random + text))
    }

    private func serverHello(_ text: String) throws(WireError) -> TLSServerHello {
        try TLSServerHello(parsing: hex("fefd" + Self.random + text))
    }

    /// Session id, cookie, suites, compressions, extensions.
    @Test func aClientHelloAsItIs() throws {
        let hello = try clientHello("01aa 02bbcc 0004c02b00ff 0100 000400170000")
        #expect(hello.sessionID == [0xaa] && hello.cookie == [0xbb, 0xcc] && hello.compressionMethods == [0])
        #expect(hello.cipherSuites == [0xc02b, TLSClientHello.renegotiationSignal])
        #expect(hello.extensions.hasExtendedMasterSecret && hello.random == [UInt8](repeating: 7, count: 32))
    }

    @Test(arguments: [
        // A session id of 33 bytes; suites of an odd length; no suite; no compression.
        ("21" + String(repeating: "00", count: 33) + "00 0002c02b 0100", WireError.invalidLength),
        ("00 00 0003c02bc0 0100", .invalidLength), ("00 00 0000 0100", .invalidLength),
        ("00 00 0002c02b 00", .invalidLength),
        // Ends within the cookie, the suites, the compressions, the extensions.
        ("00 02bb", .truncated), ("00 00 0004c02b", .truncated), ("00 00 0002c02b 02 00", .truncated),
        ("00 00 0002c02b 0100 0005 00170000", .truncated), ("00 00 0002c02b 0100 00", .truncated),
        // Behind the extensions stands something; an extension twice.
        ("00 00 0002c02b 0100 000400170000 00", .invalidLength),
        ("00 00 0002c02b 0100 0008 00170000 00170000", .invalidValue),
    ])
    func clientHellos(_ text: String, error: WireError) {
        #expect(throws: error) { try clientHello(text) }
    }

    @Test(arguments: [
        ("21" + String(repeating: "00", count: 33) + "c02b00", WireError.invalidLength), ("00 c0", .truncated),
        ("00 c02b", .truncated), ("00 c02b 00 0001", .truncated), ("00 c02b 00 0000 01", .invalidLength),
        ("00 c02b 00 0008 ff01000100 00", .truncated),
    ])
    func serverHellos(_ text: String, error: WireError) {
        #expect(throws: error) { try serverHello(text) }
    }

    /// Of 2⁸ session ids all lengths up to 32 are some.
    @Test(arguments: 0...33) func sessionIDs(_ count: Int) throws {
        let id = [UInt8](repeating: 9, count: count)
        var hello = TLSServerHello(random: [UInt8](repeating: 7, count: 32), cipherSuite: 0xc02b)
        hello.sessionID = id
        let read = try? TLSServerHello(parsing: hello.encoded)
        #expect(read?.sessionID == (count <= 32 ? id : nil))
    }

    /// Extensions by themselves: what stands in each must be all that it says.
    @Test(arguments: [
        // supported_groups and signature_algorithms: lists of two bytes each.
        ("000a 0003 0002 00", WireError.truncated), ("000a 0005 0002 001d 00", .invalidLength),
        ("000a 0003 0001 00", .invalidLength), ("000d 0002 0002", .truncated),
        ("000d 0005 0003 040305", .invalidLength),
        // ec_point_formats, renegotiation_info: one vector.
        ("000b 0001 01", .truncated), ("000b 0003 01 0000", .invalidLength), ("ff01 0000", .truncated),
        ("ff01 0002 00 00", .invalidLength),
        // use_srtp: profiles and a key identifier; extended_master_secret: nothing.
        ("000e 0004 0002 0007", .truncated), ("000e 0006 0002 0007 00 00", .invalidLength),
        ("000e 0006 0003 000700 00", .invalidLength), ("0017 0001 00", .invalidLength),
    ])
    func extensions(_ text: String, error: WireError) {
        let list = hex(text)
        var reader = TLSReader([UInt8(list.count >> 8), UInt8(list.count & 255)] + list)
        #expect(throws: error) { try TLSExtensions(parsing: &reader) }
    }

    /// Each of them, read from its own bytes alone, and written as it was.
    @Test func everyExtension() throws {
        let text =
            "ff01 0003 02 0102  0017 0000  000a 0006 0004 001d0017  000b 0003 02 0001"
            + "000d 0004 0002 0403  000e 0008 0004 00070001 01 09"
        let list = hex(text)
        let bytes = [UInt8(0), UInt8(list.count)] + list
        var reader = TLSReader(bytes)
        let read = try TLSExtensions(parsing: &reader)
        #expect(read.renegotiationInfo == [1, 2] && read.hasExtendedMasterSecret && read.pointFormats == [0, 1])
        #expect(read.supportedGroups == [29, 23] && read.signatureAlgorithms == [0x0403])
        #expect(read.useSRTP == UseSRTPExtension(profiles: [7, 1], mki: [9]) && read.others.isEmpty)
        var again: [UInt8] = []
        read.append(to: &again)
        #expect(again == bytes)
    }

    /// What nobody here knows is kept by number, in order, whatever stands in it; and is not written.
    @Test func otherExtensions() throws {
        let list = hex("002b 0003 02fefc  0033 0000  0010 0001 ff")
        var reader = TLSReader([UInt8(0), UInt8(list.count)] + list)
        let read = try TLSExtensions(parsing: &reader)
        #expect(read.others == [43, 51, 16])
        var again: [UInt8] = []
        read.append(to: &again)
        #expect(again.isEmpty)
        // Nor may one of them come twice.
        var twice = TLSReader(hex("0008 0033 0000 0033 0000"))
        #expect(throws: WireError.invalidValue) { try TLSExtensions(parsing: &twice) }
    }

    @Test(arguments: [
        ("000004 000001", WireError.truncated), ("000003 000000", .invalidLength), ("000005 000001aa 00", .truncated),
        ("000004 000001aa 00", .invalidLength), ("0000", .truncated),
    ])
    func certificates(_ text: String, error: WireError) {
        #expect(throws: error) { try TLSCertificateMessage(parsing: hex(text)) }
    }

    @Test(arguments: [
        ("", WireError.truncated), ("01", .invalidValue), ("02", .invalidValue), ("03 001d", .truncated),
        ("03 001d 01aa 0403", .truncated), ("03 001d 01aa 0403 0001", .truncated),
        ("03 001d 01aa 0403 0000 00", .invalidLength),
    ])
    func keyExchanges(_ text: String, error: WireError) {
        #expect(throws: error) { try TLSServerKeyExchange(parsing: hex(text)) }
    }

    @Test(arguments: [
        ("", WireError.truncated), ("0140", .truncated), ("0140 0002 0403", .truncated),
        ("0140 0001 04 0000", .invalidLength), ("0140 0002 0403 0000 00", .invalidLength),
        ("0140 0002 0403 0001", .truncated),
    ])
    func certificateRequests(_ text: String, error: WireError) {
        #expect(throws: error) { try TLSCertificateRequest(parsing: hex(text)) }
    }

    @Test func cookies() throws {
        let longest = [UInt8](repeating: 3, count: 255)
        #expect(try DTLSHelloVerifyRequest(parsing: DTLSHelloVerifyRequest(cookie: longest).encoded).cookie == longest)
        #expect(throws: WireError.truncated) { try DTLSHelloVerifyRequest(parsing: hex("feff 02 01")) }
        #expect(throws: WireError.invalidLength) { try DTLSHelloVerifyRequest(parsing: hex("feff 01 01 02")) }
        #expect(throws: WireError.truncated) { try TLSClientKeyExchange(parsing: hex("02 01")) }
        #expect(throws: WireError.invalidLength) { try TLSClientKeyExchange(parsing: hex("01 01 02")) }
        #expect(throws: WireError.truncated) { try TLSSignature(parsing: hex("0403 0002 01")) }
        #expect(throws: WireError.invalidLength) { try TLSSignature(parsing: hex("0403 0001 01 02")) }
    }
}
