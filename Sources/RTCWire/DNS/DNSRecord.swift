/// What is known of a name, RFC 1035 section 4.1.3.
///
/// ```
///    0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  /                      NAME                     /
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                      TYPE                     |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |CF|                   CLASS                    |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                      TTL                      |
///  |                                               |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  |                   RDLENGTH                    |
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
///  /                     RDATA                     /
///  +--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+--+
/// ```
package struct DNSRecord: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A or AAAA; its port is 0.
        case address(TransportAddress)
        /// As it stands; names in it may be compressed.
        case other(DNSType, [UInt8])
    }

    package var name: DNSName
    /// 15 bits; 1 is the Internet's.
    package var classCode: UInt16
    /// It takes the place of what was known of the name (cache flush, RFC 6762 section 10.2).
    package var isWhole: Bool
    /// Seconds that it may be believed for.
    package var timeToLive: UInt32
    package var content: Content

    package init(
        _ name: DNSName, _ content: Content, timeToLive: UInt32 = 120, classCode: UInt16 = DNSClass.internet,
        isWhole: Bool = false
    ) {
        self.name = name
        self.classCode = classCode
        self.isWhole = isWhole
        self.timeToLive = timeToLive
        self.content = content
    }

    init(parsing bytes: RawSpan, at offset: inout Int) throws(WireError) {
        name = try DNSName(parsing: bytes, at: &offset)
        guard bytes.byteCount - offset >= 10 else { throw .truncated }
        let type = DNSType(rawValue: bytes.uint16(offset))
        classCode = bytes.uint16(offset + 2) & 0x7fff
        isWhole = bytes.uint16(offset + 2) & 0x8000 != 0
        timeToLive = bytes.uint32(offset + 4)
        let length = Int(bytes.uint16(offset + 8))
        let start = offset + 10
        guard bytes.byteCount - start >= length else { throw .truncated }
        content = try DNSRecord.content(type, classCode, bytes, start..<(start + length))
        offset = start + length
    }

    private static func content(
        _ type: DNSType, _ classCode: UInt16, _ bytes: RawSpan, _ range: Range<Int>
    ) throws(WireError) -> Content {
        let start = range.lowerBound
        switch (type, classCode) {
        case (.a, DNSClass.internet):
            guard range.count == 4 else { throw .invalidLength }
            return .address(TransportAddress(ipv4: bytes.uint32(start), port: 0))
        case (.aaaa, DNSClass.internet):
            guard range.count == 16 else { throw .invalidLength }
            let address = TransportAddress(high: bytes.uint64(start), low: bytes.uint64(start + 8), port: 0)
            // An IPv4 address in its mapped form is none that a host has.
            return address.isIPv4 ? .other(type, bytes.array(range)) : .address(address)
        default: return .other(type, bytes.array(range))
        }
    }

    func append(to bytes: inout [UInt8]) {
        name.append(to: &bytes)
        let data = wire
        bytes.append16(data.type.rawValue)
        bytes.append16(classCode & 0x7fff | (isWhole ? 0x8000 : 0))
        bytes.append32(timeToLive)
        bytes.append16(UInt16(truncatingIfNeeded: data.bytes.count))
        bytes.append(contentsOf: data.bytes)
    }

    private var wire: (type: DNSType, bytes: [UInt8]) {
        switch content {
        case .other(let type, let bytes): return (type, bytes)
        case .address(let address):
            var bytes: [UInt8] = []
            if !address.isIPv4 {
                bytes.append32(UInt32(truncatingIfNeeded: address.high >> 32))
                bytes.append32(UInt32(truncatingIfNeeded: address.high))
                bytes.append32(UInt32(truncatingIfNeeded: address.low >> 32))
            }
            bytes.append32(UInt32(truncatingIfNeeded: address.low))
            return (address.isIPv4 ? .a : .aaaa, bytes)
        }
    }
}
