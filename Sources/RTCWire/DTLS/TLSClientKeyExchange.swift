/// ClientKeyExchange of ECDHE, RFC 8422 section 5.7: the client's public key.
package struct TLSClientKeyExchange: Hashable, Sendable {
    package var publicKey: [UInt8]

    package init(publicKey: [UInt8]) { self.publicKey = publicKey }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        publicKey = try reader.vector(1)
        try reader.expectEnd()
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVector(publicKey, 1)
        return bytes
    }
}
