/// HelloVerifyRequest, RFC 6347 section 4.2.1: the server's version, which says nothing, and a cookie of up to 255 bytes.
package struct DTLSHelloVerifyRequest: Hashable, Sendable {
    package var version = DTLSVersion.v10
    package var cookie: [UInt8]

    package init(cookie: [UInt8]) { self.cookie = cookie }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        version = try reader.uint16()
        cookie = try reader.vector(1)
        try reader.expectEnd()
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append16(version)
        bytes.appendVector(cookie, 1)
        return bytes
    }
}
