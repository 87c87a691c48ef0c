/// A digitally-signed element, RFC 5246 section 4.7: the scheme and the signature.
package struct TLSSignature: Hashable, Sendable {
    /// By number.
    package var scheme: UInt16
    package var value: [UInt8]

    package init(scheme: UInt16, value: [UInt8]) {
        self.scheme = scheme
        self.value = value
    }

    init(parsing reader: inout TLSReader) throws(WireError) {
        scheme = try reader.uint16()
        value = try reader.vector(2)
    }

    /// Reads CertificateVerify, RFC 5246 section 7.4.8, which is nothing else.
    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        try self.init(parsing: &reader)
        try reader.expectEnd()
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append16(scheme)
        bytes.appendVector(value, 2)
        return bytes
    }
}
