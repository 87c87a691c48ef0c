/// What ClientHello and ServerHello begin with, RFC 5246 sections 7.4.1.2 and 7.4.1.3.
///
/// ```
///  ProtocolVersion version;  Random random;  SessionID session_id<0..32>;
/// ```
struct TLSHelloOpening {
    /// Of both sides' random values.
    static let randomLength = 32
    private static let longestSessionID = 32

    let version: UInt16
    let random: [UInt8]
    let sessionID: [UInt8]

    init(version: UInt16, random: [UInt8], sessionID: [UInt8]) {
        self.version = version
        self.random = random
        self.sessionID = sessionID
    }

    init(parsing reader: inout TLSReader) throws(WireError) {
        version = try reader.uint16()
        random = try reader.take(TLSHelloOpening.randomLength)
        sessionID = try reader.vector(1)
        guard sessionID.count <= TLSHelloOpening.longestSessionID else { throw .invalidLength }
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append16(version)
        bytes += random
        bytes.appendVector(sessionID, 1)
    }
}
