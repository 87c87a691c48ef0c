/// CertificateRequest, RFC 5246 section 7.4.4.
///
/// ```
///  ClientCertificateType certificate_types<1..2^8-1>;
///  SignatureAndHashAlgorithm supported_signature_algorithms<2..2^16-2>;
///  DistinguishedName certificate_authorities<0..2^16-1>;
/// ```
package struct TLSCertificateRequest: Hashable, Sendable {
    /// rsa_sign is 1, ecdsa_sign 64 (RFC 8422 section 5.5).
    package var certificateTypes: [UInt8] = [64, 1]
    /// By number.
    package var signatureAlgorithms: [UInt16]
    /// DER names, each with its length; nobody in WebRTC has any.
    package var authorities: [UInt8] = []

    package init(signatureAlgorithms: [UInt16]) { self.signatureAlgorithms = signatureAlgorithms }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        certificateTypes = try reader.vector(1)
        signatureAlgorithms = try reader.numbers(2)
        authorities = try reader.vector(2)
        try reader.expectEnd()
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVector(certificateTypes, 1)
        bytes.appendNumbers(signatureAlgorithms, 2)
        bytes.appendVector(authorities, 2)
        return bytes
    }
}
