/// ServerHello, RFC 5246 section 7.4.1.3.
///
/// ```
///  ProtocolVersion server_version;  Random random;  SessionID session_id<0..32>;
///  CipherSuite cipher_suite;  CompressionMethod compression_method;  extensions
/// ```
package struct TLSServerHello: Hashable, Sendable {
    package var version = DTLSVersion.v12
    package var random: [UInt8]
    package var sessionID: [UInt8] = []
    /// By number.
    package var cipherSuite: UInt16
    package var compressionMethod: UInt8 = 0
    package var extensions = TLSExtensions()

    package init(random: [UInt8], cipherSuite: UInt16) {
        self.random = random
        self.cipherSuite = cipherSuite
    }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        let opening = try TLSHelloOpening(parsing: &reader)
        (version, random, sessionID) = (opening.version, opening.random, opening.sessionID)
        cipherSuite = try reader.uint16()
        compressionMethod = try reader.uint8()
        extensions = try TLSExtensions(parsing: &reader)
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        TLSHelloOpening(version: version, random: random, sessionID: sessionID).append(to: &bytes)
        bytes.append16(cipherSuite)
        bytes.append(compressionMethod)
        extensions.append(to: &bytes)
        return bytes
    }
}
