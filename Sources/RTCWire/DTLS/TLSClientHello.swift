/// ClientHello, RFC 5246 section 7.4.1.2 with the cookie of RFC 6347 section 4.2.1.
///
/// ```
///  ProtocolVersion client_version;  Random random;  SessionID session_id<0..32>;  opaque cookie<0..2^8-1>;
///  CipherSuite cipher_suites<2..2^16-1>;  CompressionMethod compression_methods<1..2^8-1>;  extensions
/// ```
package struct TLSClientHello: Hashable, Sendable {
    /// Length of both sides' random values.
    package static let randomLength = TLSHelloOpening.randomLength
    /// TLS_EMPTY_RENEGOTIATION_INFO_SCSV, RFC 5746 section 3.3: says what an empty renegotiation_info says.
    package static let renegotiationSignal: UInt16 = 0x00ff

    package var version = DTLSVersion.v12
    package var random: [UInt8]
    package var sessionID: [UInt8] = []
    package var cookie: [UInt8] = []
    /// By number, in order of preference.
    package var cipherSuites: [UInt16]
    package var compressionMethods: [UInt8] = [0]
    package var extensions = TLSExtensions()

    package init(random: [UInt8], cipherSuites: [UInt16]) {
        self.random = random
        self.cipherSuites = cipherSuites
    }

    package init(parsing body: [UInt8]) throws(WireError) {
        var reader = TLSReader(body)
        let opening = try TLSHelloOpening(parsing: &reader)
        (version, random, sessionID) = (opening.version, opening.random, opening.sessionID)
        cookie = try reader.vector(1)
        cipherSuites = try reader.numbers(2)
        compressionMethods = try reader.vector(1)
        guard !cipherSuites.isEmpty, !compressionMethods.isEmpty else { throw .invalidLength }
        extensions = try TLSExtensions(parsing: &reader)
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        TLSHelloOpening(version: version, random: random, sessionID: sessionID).append(to: &bytes)
        bytes.appendVector(cookie, 1)
        bytes.appendNumbers(cipherSuites, 2)
        bytes.appendVector(compressionMethods, 1)
        extensions.append(to: &bytes)
        return bytes
    }
}
