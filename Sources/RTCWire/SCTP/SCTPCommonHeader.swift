/// The head of every SCTP packet, RFC 9260 section 3.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      Source Port Number       |    Destination Port Number    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                       Verification Tag                        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                           Checksum                            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct SCTPCommonHeader: Hashable, Sendable {
    package static let length = 12
    package static let checksumRange = 8..<12

    package var sourcePort: UInt16
    package var destinationPort: UInt16
    /// The receiver's own tag; 0 with an INIT.
    package var verificationTag: UInt32

    package init(sourcePort: UInt16, destinationPort: UInt16, verificationTag: UInt32) {
        self.sourcePort = sourcePort
        self.destinationPort = destinationPort
        self.verificationTag = verificationTag
    }

    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= SCTPCommonHeader.length else { throw .truncated }
        sourcePort = bytes.uint16(0)
        destinationPort = bytes.uint16(2)
        verificationTag = bytes.uint32(4)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append16(sourcePort)
        bytes.append16(destinationPort)
        bytes.append32(verificationTag)
        bytes.append32(0)
    }
}
