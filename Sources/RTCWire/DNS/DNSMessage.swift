/// A message of the domain name system, RFC 1035 section 4.1, as multicast DNS sends it (RFC 6762 section 18).
///
/// ```
///    0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                      ID                       |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |QR|   Opcode  |AA|TC|RD|RA|   Z    |   RCODE   |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                    QDCOUNT                    |
///  |                    ANCOUNT                    |
///  |                    NSCOUNT                    |
///  |                    ARCOUNT                    |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
/// ```
package struct DNSMessage: Sendable, Hashable {
    /// 0 where it is multicast.
    package var id: UInt16 = 0
    /// QR, opcode, AA, TC, RD, RA, Z and RCODE.
    package var flags: UInt16 = 0
    package var questions: [DNSQuestion] = []
    package var answers: [DNSRecord] = []
    package var authorities: [DNSRecord] = []
    package var additionals: [DNSRecord] = []

    package init() {}

    /// Throws where anything of it is malformed, something stands behind it, or it is larger than multicast DNS allows.
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= DNSMessage.headerLength else { throw .truncated }
        guard bytes.byteCount <= DNSMessage.longest else { throw .invalidLength }
        let counts = stride(from: 4, to: DNSMessage.headerLength, by: 2).map { Int(bytes.uint16($0)) }
        guard counts.reduce(0, +) <= DNSMessage.mostEntries else { throw .invalidValue }
        id = bytes.uint16(0)
        flags = bytes.uint16(2)
        var offset = DNSMessage.headerLength
        for _ in 0..<counts[0] { questions.append(try DNSQuestion(parsing: bytes, at: &offset)) }
        answers = try DNSMessage.records(counts[1], bytes, &offset)
        authorities = try DNSMessage.records(counts[2], bytes, &offset)
        additionals = try DNSMessage.records(counts[3], bytes, &offset)
        guard offset == bytes.byteCount else { throw .invalidLength }
    }

    private static func records(
        _ count: Int, _ bytes: RawSpan, _ offset: inout Int
    ) throws(WireError) -> [DNSRecord] {
        var result: [DNSRecord] = []
        for _ in 0..<count { result.append(try DNSRecord(parsing: bytes, at: &offset)) }
        return result
    }

    /// On the wire, names without pointers.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append16(id)
        bytes.append16(flags)
        for count in [questions.count, answers.count, authorities.count, additionals.count] {
            bytes.append16(UInt16(truncatingIfNeeded: count))
        }
        for question in questions { question.append(to: &bytes) }
        for record in answers + authorities + additionals { record.append(to: &bytes) }
        return bytes
    }

    /// An answer without a fault: a response (QR) of opcode 0 and RCODE 0; others are ignored (RFC 6762 section 18).
    package var isAnswer: Bool { flags & 0xf80f == DNSMessage.response }

    /// QR.
    package static let response: UInt16 = 0x8000
    /// AA, which every answer of multicast DNS has (RFC 6762 section 18.4).
    package static let authoritative: UInt16 = 0x0400
    /// With its headers a message has 9000 bytes at the most (RFC 6762 section 17).
    package static let longest = 9000
    /// Questions and records; more than any answer to one name has.
    package static let mostEntries = 128
    private static let headerLength = 12
}
