import Testing

@testable import RTCWire

/// Handshakes of Chromium's BoringSSL with aiortc's OpenSSL, message by message.
struct DTLSVectorTests {
    /// The handshake messages of a capture in the clear, put together, in order; and the port of each one's sender.
    private func messages(_ name: String) throws -> [(port: UInt16, type: TLSHandshakeType, body: [UInt8])] {
        var whole: [(UInt16, TLSHandshakeType, [UInt8])] = []
        var partial: [UInt16: [UInt8]] = [:]
        for datagram in try Pcap.read(name) where (20...63).contains(datagram.payload.first ?? 0) {
            var rest = datagram.payload[...]
            while !rest.isEmpty {
                let header = try withSpan(Array(rest)) { span throws(WireError) in try DTLSRecordHeader(parsing: span) }
                var body = Array(rest.dropFirst(13).prefix(header.bodyLength))
                rest = rest.dropFirst(13 + header.bodyLength)
                while header.type == .handshake, header.epoch == 0, !body.isEmpty {
                    let fragment = try withSpan(body) { span throws(WireError) in
                        try DTLSHandshakeHeader(parsing: span)
                    }
                    let bytes = body[12..<(12 + fragment.fragmentLength)]
                    partial[datagram.sourcePort, default: []] += bytes
                    body.removeFirst(12 + fragment.fragmentLength)
                    guard partial[datagram.sourcePort]?.count == fragment.messageLength else { continue }
                    whole.append((datagram.sourcePort, fragment.type, partial[datagram.sourcePort] ?? []))
                    partial[datagram.sourcePort] = nil
                }
            }
        }
        return whole
    }

    @Test(arguments: ["datachannel", "h264", "opus-dtx", "opus-red-dtmf", "vp8-rtx"])
    func everyMessageIsRead(_ name: String) throws {
        let all = try messages("\(name).raw.pcap")
        #expect(
            all.map(\.type) == [
                .clientHello, .serverHello, .certificate, .serverKeyExchange, .certificateRequest, .serverHelloDone,
                .certificate, .clientKeyExchange, .certificateVerify,
            ])
        let hello = try TLSClientHello(parsing: all[0].body)
        #expect(hello.version == DTLSVersion.v12 && hello.cookie.isEmpty)
        #expect(hello.extensions.hasExtendedMasterSecret && hello.extensions.useSRTP?.profiles.isEmpty == false)
        let answer = try TLSServerHello(parsing: all[1].body)
        #expect(answer.encoded == all[1].body || answer.extensions.others.isEmpty)
        #expect(TLSCipherSuite(rawValue: answer.cipherSuite) == .ecdheECDSAWithAES128GCM)
        #expect(answer.extensions.hasExtendedMasterSecret && answer.extensions.useSRTP?.profiles.count == 1)
        for index in [2, 6] {
            let certificate = try TLSCertificateMessage(parsing: all[index].body)
            #expect(certificate.chain.count == 1 && certificate.encoded == all[index].body)
        }
        let exchange = try TLSServerKeyExchange(parsing: all[3].body)
        #expect(TLSNamedGroup(rawValue: exchange.group)?.publicKeyLength == exchange.publicKey.count)
        #expect(exchange.encoded == all[3].body)
        let request = try TLSCertificateRequest(parsing: all[4].body)
        #expect(request.certificateTypes.contains(64) && request.encoded == all[4].body)
        let key = try TLSClientKeyExchange(parsing: all[7].body)
        #expect(key.publicKey.count == exchange.publicKey.count && key.encoded == all[7].body)
        #expect(try TLSSignature(parsing: all[8].body).encoded == all[8].body)
    }

    /// Chromium offers TLS 1.3 and a hybrid group, whose key share makes the hello span datagrams.
    @Test func chromiumsHelloHoldsWhatIsPassedOver() throws {
        let hello = try TLSClientHello(parsing: try messages("opus-dtx.raw.pcap")[0].body)
        #expect(
            hello.encoded.count < 1400 && hello.extensions.others.contains(43) && hello.extensions.others.contains(51))
        #expect(hello.extensions.supportedGroups?.contains(0x11ec) == true)
        #expect(hello.extensions.supportedGroups?.contains(29) == true)
    }
}
