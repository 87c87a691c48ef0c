import RTCWire

extension WireFuzzing {
    /// The first byte chooses: records with handshake fragments, or one message. What is read and written again is read
    /// the same; of unknown extensions the numbers alone are kept.
    package static func dtls(_ input: UnsafeRawBufferPointer) {
        guard let choice = input.first else { return }
        let body = Array(input.dropFirst())
        switch choice % 10 {
        case 0: records(UnsafeRawBufferPointer(rebasing: input[1...]))
        case 1: clientHello(body)
        case 2: serverHello(body)
        case 3: same(body) { bytes throws(WireError) in try DTLSHelloVerifyRequest(parsing: bytes).encoded }
        case 4: same(body) { bytes throws(WireError) in try TLSCertificateMessage(parsing: bytes).encoded }
        case 5: same(body) { bytes throws(WireError) in try TLSServerKeyExchange(parsing: bytes).encoded }
        case 6: same(body) { bytes throws(WireError) in try TLSCertificateRequest(parsing: bytes).encoded }
        case 7: same(body) { bytes throws(WireError) in try TLSClientKeyExchange(parsing: bytes).encoded }
        case 8: same(body) { bytes throws(WireError) in try TLSSignature(parsing: bytes).encoded }
        default:
            guard let alert = try? TLSAlert(parsing: body.span.bytes) else { return }
            precondition(alert.encoded == body, "an alert changed")
        }
    }

    /// These have one form alone.
    private static func same(_ body: [UInt8], _ copy: ([UInt8]) throws(WireError) -> [UInt8]) {
        guard let again = try? copy(body) else { return }
        precondition(again == body, "a message changed")
    }

    private static func clientHello(_ body: [UInt8]) {
        guard var hello = try? TLSClientHello(parsing: body) else { return }
        hello.extensions.others = []
        precondition((try? TLSClientHello(parsing: hello.encoded)) == hello, "a ClientHello changed")
    }

    private static func serverHello(_ body: [UInt8]) {
        guard var hello = try? TLSServerHello(parsing: body) else { return }
        hello.extensions.others = []
        precondition((try? TLSServerHello(parsing: hello.encoded)) == hello, "a ServerHello changed")
    }

    private static func records(_ datagram: UnsafeRawBufferPointer) {
        var rest = datagram
        while let header = try? DTLSRecordHeader(parsing: rest.bytes) {
            let end = DTLSRecordHeader.length + header.bodyLength
            let copy = written(DTLSRecordHeader.length) { target in
                header.store(to: target)
                return DTLSRecordHeader.length
            }
            precondition(copy.elementsEqual(rest[..<DTLSRecordHeader.length]), "a record header changed")
            fragments(UnsafeRawBufferPointer(rebasing: rest[DTLSRecordHeader.length..<end]))
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
    }

    private static func fragments(_ body: UnsafeRawBufferPointer) {
        var rest = body
        while let header = try? DTLSHandshakeHeader(parsing: rest.bytes) {
            var copy: [UInt8] = []
            header.append(to: &copy)
            precondition(copy.elementsEqual(rest[..<DTLSHandshakeHeader.length]), "a fragment's header changed")
            rest = UnsafeRawBufferPointer(rebasing: rest[(DTLSHandshakeHeader.length + header.fragmentLength)...])
        }
    }
}
