/// DATA_CHANNEL_OPEN, RFC 8832 section 5.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Message Type |  Channel Type |            Priority           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                    Reliability Parameter                      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |         Label Length          |       Protocol Length         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                             Label                             \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                            Protocol                           \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct DataChannelOpen: Hashable, Sendable {
    static let fixedLength = 12

    /// The low bits of the channel type (section 8.2.2).
    package enum Reliability: UInt8, Hashable, Sendable {
        case reliable = 0
        /// The parameter counts retransmissions.
        case retransmissions = 1
        /// The parameter is a lifetime in milliseconds.
        case lifetime = 2
    }

    package var reliability: Reliability
    package var isUnordered: Bool
    /// 256 is normal (RFC 8831 section 6.4).
    package var priority: UInt16 = 256
    /// 0 for reliable channels.
    package var parameter: UInt32
    /// UTF-8.
    package var label: [UInt8]
    /// UTF-8.
    package var protocolName: [UInt8]

    package init(
        reliability: Reliability, isUnordered: Bool, parameter: UInt32, label: [UInt8], protocolName: [UInt8]
    ) {
        self.reliability = reliability
        self.isUnordered = isUnordered
        self.parameter = parameter
        self.label = label
        self.protocolName = protocolName
    }

    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= DataChannelOpen.fixedLength else { throw .truncated }
        guard bytes.byte(0) == DataChannelControl.open else { throw .unexpectedType }
        guard bytes.byte(1) & 0x7c == 0, let kind = Reliability(rawValue: bytes.byte(1) & 3) else {
            throw .invalidValue
        }
        reliability = kind
        isUnordered = bytes.byte(1) & 0x80 != 0
        priority = bytes.uint16(2)
        parameter = bytes.uint32(4)
        let labelEnd = DataChannelOpen.fixedLength + Int(bytes.uint16(8))
        let end = labelEnd + Int(bytes.uint16(10))
        guard end <= bytes.byteCount else { throw .truncated }
        label = bytes.array(DataChannelOpen.fixedLength..<labelEnd)
        protocolName = bytes.array(labelEnd..<end)
    }

    /// The message; label and protocol have at most 65,535 bytes each.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [DataChannelControl.open, reliability.rawValue | (isUnordered ? 0x80 : 0)]
        bytes.append16(priority)
        bytes.append32(parameter)
        bytes.append16(UInt16(clamping: label.count))
        bytes.append16(UInt16(clamping: protocolName.count))
        return bytes + label + protocolName
    }
}
