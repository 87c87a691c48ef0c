import Testing

@testable import RTCWire

struct DTLSMessageTests {
    private static let random = [UInt8](repeating: 7, count: 32)

    private static var extensions: TLSExtensions {
        var extensions = TLSExtensions()
        extensions.renegotiationInfo = []
        extensions.hasExtendedMasterSecret = true
        extensions.supportedGroups = [29, 23]
        extensions.pointFormats = [0]
        extensions.signatureAlgorithms = [0x0403, 0x0804]
        extensions.useSRTP = UseSRTPExtension(profiles: [7, 1], mki: [9])
        return extensions
    }

    private static var clientHello: TLSClientHello {
        var hello = TLSClientHello(random: random, cipherSuites: [0xc02b, 0xc02f])
        hello.cookie = [1, 2, 3]
        hello.sessionID = [4, 5]
        hello.extensions = extensions
        return hello
    }

    private static var serverHello: TLSServerHello {
        var hello = TLSServerHello(random: random, cipherSuite: 0xc02b)
        hello.extensions = extensions
        return hello
    }

    /// Reads a message of each kind and writes it again.
    private static let copies:
        [(name: String, bytes: [UInt8], again: @Sendable ([UInt8]) throws(WireError) -> [UInt8])] = [
            (
                "ClientHello", clientHello.encoded,
                { bytes throws(WireError) in try TLSClientHello(parsing: bytes).encoded }
            ),
            (
                "ServerHello", serverHello.encoded,
                { bytes throws(WireError) in try TLSServerHello(parsing: bytes).encoded }
            ),
            (
                "HelloVerifyRequest", DTLSHelloVerifyRequest(cookie: [1, 2]).encoded,
                { bytes throws(WireError) in try DTLSHelloVerifyRequest(parsing: bytes).encoded }
            ),
            (
                "Certificate", TLSCertificateMessage(chain: [[1, 2, 3], [4]]).encoded,
                { bytes throws(WireError) in try TLSCertificateMessage(parsing: bytes).encoded }
            ),
            (
                "ServerKeyExchange",
                TLSServerKeyExchange(
                    group: 29, publicKey: random, signature: TLSSignature(scheme: 0x0403, value: [1, 2, 3])
                ).encoded, { bytes throws(WireError) in try TLSServerKeyExchange(parsing: bytes).encoded }
            ),
            (
                "CertificateRequest", TLSCertificateRequest(signatureAlgorithms: [0x0403]).encoded,
                { bytes throws(WireError) in try TLSCertificateRequest(parsing: bytes).encoded }
            ),
            (
                "ClientKeyExchange", TLSClientKeyExchange(publicKey: random).encoded,
                { bytes throws(WireError) in try TLSClientKeyExchange(parsing: bytes).encoded }
            ),
            (
                "CertificateVerify", TLSSignature(scheme: 0x0804, value: random).encoded,
                { bytes throws(WireError) in try TLSSignature(parsing: bytes).encoded }
            ),
        ]

    /// Every message survives the wire; with a byte more or less it is none. A hello may end before its extensions.
    @Test(arguments: copies.indices) func everyMessageSurvivesTheWire(_ index: Int) throws {
        let (name, bytes, again) = Self.copies[index]
        #expect(try again(bytes) == bytes)
        for count in bytes.indices {
            let cut = Array(bytes[..<count])
            guard let copy = try? again(cut) else { continue }
            #expect(name.hasSuffix("Hello") && copy == cut)
        }
        #expect(throws: WireError.self) { try again(bytes + [0]) }
    }

    @Test func fieldsStandWhereTheRFCPutsThem() throws {
        let hello = try TLSClientHello(parsing: Self.clientHello.encoded)
        #expect(hello == Self.clientHello && hello.extensions.useSRTP?.mki == [9])
        #expect(Array(hello.encoded.prefix(2)) == [0xfe, 0xfd])
        let request = TLSCertificateRequest(signatureAlgorithms: [0x0403])
        #expect(request.encoded == [2, 64, 1, 0, 2, 4, 3, 0, 0])
        #expect(TLSServerKeyExchange.parameters(group: 29, publicKey: [1, 2]) == [3, 0, 29, 2, 1, 2])
        #expect(DTLSHelloVerifyRequest(cookie: [5]).encoded == [0xfe, 0xff, 1, 5])
        #expect(TLSAlert.closeNotify.encoded == [1, 0])
        #expect(TLSCertificateMessage(chain: []).encoded == [0, 0, 0])
    }

    @Test func whatContradictsItselfIsRefused() {
        // An extension twice; an odd number of bytes in a list of 16-bit numbers; a compression that is none.
        var twice = TLSClientHello(random: Self.random, cipherSuites: [1]).encoded
        twice += [0, 8, 0, 23, 0, 0, 0, 23, 0, 0]
        #expect(throws: WireError.invalidValue) { try TLSClientHello(parsing: twice) }
        #expect(throws: WireError.invalidLength) { try TLSCertificateRequest(parsing: [1, 64, 0, 3, 4, 3, 4, 0, 0]) }
        #expect(throws: WireError.invalidLength) {
            try TLSClientHello(parsing: TLSClientHello(random: Self.random, cipherSuites: []).encoded)
        }
        #expect(throws: WireError.invalidLength) { try TLSCertificateMessage(parsing: [0, 0, 3, 0, 0, 0]) }
        #expect(throws: WireError.invalidValue) { try TLSServerKeyExchange(parsing: [1, 0, 29, 1, 1, 4, 3, 0, 1, 1]) }
    }

    @Test func recordHeaders() throws {
        let header = DTLSRecordHeader(type: .handshake, epoch: 1, sequence: 0x0102_0304_0506, bodyLength: 2)
        let bytes = written { target in
            header.store(to: target)
            return 15
        }
        #expect(Array(bytes[..<13]) == [22, 0xfe, 0xfd, 0, 1, 1, 2, 3, 4, 5, 6, 0, 2])
        #expect(try record(bytes) == header)
        #expect(throws: WireError.invalidLength) { try record(Array(bytes[..<14])) }
        #expect(throws: WireError.truncated) { try record(Array(bytes[..<12])) }
        #expect(throws: WireError.unexpectedType) { try record([24] + bytes[1...]) }
        #expect(throws: WireError.invalidVersion) { try record([22, 3, 3] + bytes[3...]) }
    }

    private func record(_ bytes: [UInt8]) throws(WireError) -> DTLSRecordHeader {
        try withSpan(bytes) { span throws(WireError) in try DTLSRecordHeader(parsing: span) }
    }

    @Test func handshakeHeaders() throws {
        let header = DTLSHandshakeHeader(
            type: .certificate, messageLength: 0x010203, messageSequence: 5, fragmentOffset: 0x010200, fragmentLength: 3
        )
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        #expect(bytes == [11, 1, 2, 3, 0, 5, 1, 2, 0, 0, 0, 3])
        let whole = bytes + [7, 8, 9]
        #expect(try withSpan(whole) { span throws(WireError) in try DTLSHandshakeHeader(parsing: span) } == header)
        #expect(throws: WireError.invalidLength) {
            try withSpan(bytes) { span throws(WireError) in try DTLSHandshakeHeader(parsing: span) }
        }
        var outside = whole
        outside[8] = 1
        #expect(throws: WireError.invalidLength) {
            try withSpan(outside) { span throws(WireError) in try DTLSHandshakeHeader(parsing: span) }
        }
    }
}
