/// What a message asks for, RFC 1035 section 4.1.2.
///
/// ```
///    0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  /                     QNAME                     /
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                     QTYPE                     |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |QU|                  QCLASS                    |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
/// ```
package struct DNSQuestion: Sendable, Hashable {
    package var name: DNSName
    package var type: DNSType
    /// 15 bits; 1 is the Internet's.
    package var classCode: UInt16
    /// The answer is welcome by unicast (RFC 6762 section 5.4).
    package var wantsUnicast: Bool

    package init(_ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false) {
        self.name = name
        self.type = type
        classCode = DNSClass.internet
        self.wantsUnicast = wantsUnicast
    }

    init(parsing bytes: RawSpan, at offset: inout Int) throws(WireError) {
        name = try DNSName(parsing: bytes, at: &offset)
        guard bytes.byteCount - offset >= 4 else { throw .truncated }
        type = DNSType(rawValue: bytes.uint16(offset))
        classCode = bytes.uint16(offset + 2) & 0x7fff
        wantsUnicast = bytes.uint16(offset + 2) & 0x8000 != 0
        offset += 4
    }

    func append(to bytes: inout [UInt8]) {
        name.append(to: &bytes)
        bytes.append16(type.rawValue)
        bytes.append16(classCode & 0x7fff | (wantsUnicast ? 0x8000 : 0))
    }
}

/// The types that are told apart here, RFC 1035 section 3.2.2, RFC 3596 section 2.1.
package struct DNSType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let a = DNSType(rawValue: 1)
    package static let aaaa = DNSType(rawValue: 28)
}

package enum DNSClass {
    package static let internet: UInt16 = 1
}
