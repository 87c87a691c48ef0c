/// Certificate, RFC 5246 section 7.4.2: a chain of DER certificates, the sender's own first; empty where a client has
/// none.
package struct TLSCertificateMessage: Hashable, Sendable {
    package var chain: [[UInt8]]

    package init(chain: [[UInt8]]) { self.chain = chain }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        var list = TLSReader(try reader.vector(3))
        try reader.expectEnd()
        chain = []
        while !list.isAtEnd {
            let certificate = try list.vector(3)
            guard !certificate.isEmpty else { throw .invalidLength }
            chain.append(certificate)
        }
    }

    package var encoded: [UInt8] {
        var list: [UInt8] = []
        for certificate in chain { list.appendVector(certificate, 3) }
        var bytes: [UInt8] = []
        bytes.appendVector(list, 3)
        return bytes
    }
}
