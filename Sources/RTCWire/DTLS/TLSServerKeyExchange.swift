/// ServerKeyExchange of ECDHE, RFC 8422 section 5.4.
///
/// ```
///  ECCurveType curve_type = named_curve(3);  NamedCurve namedcurve;  opaque point<1..2^8-1>;
///  SignatureAndHashAlgorithm;  opaque signature<0..2^16-1>;
/// ```
package struct TLSServerKeyExchange: Hashable, Sendable {
    private static let namedCurve: UInt8 = 3

    /// By number.
    package var group: UInt16
    package var publicKey: [UInt8]
    package var signature: TLSSignature

    package init(group: UInt16, publicKey: [UInt8], signature: TLSSignature) {
        self.group = group
        self.publicKey = publicKey
        self.signature = signature
    }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        guard try reader.uint8() == TLSServerKeyExchange.namedCurve else { throw .invalidValue }
        group = try reader.uint16()
        publicKey = try reader.vector(1)
        signature = try TLSSignature(parsing: &reader)
        try reader.expectEnd()
    }

    /// What is signed, behind both random values: ServerECDHParams.
    package static func parameters(group: UInt16, publicKey: [UInt8]) -> [UInt8] {
        var bytes = [namedCurve]
        bytes.append16(group)
        bytes.appendVector(publicKey, 1)
        return bytes
    }

    package var encoded: [UInt8] {
        TLSServerKeyExchange.parameters(group: group, publicKey: publicKey) + signature.encoded
    }
}
