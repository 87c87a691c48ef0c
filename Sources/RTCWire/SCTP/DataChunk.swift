/// DATA, RFC 9260 section 3.3.1: one fragment of a message, or all of it.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 0    |  Res  |I|U|B|E|            Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                              TSN                              |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      Stream Identifier S      |   Stream Sequence Number n    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                  Payload Protocol Identifier                  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                 User Data (seq n of Stream S)                 \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct DataChunk: Hashable, Sendable {
    /// Bytes before the user data.
    package static let headerLength = 16

    package var tsn: UInt32
    package var stream: UInt16
    /// Meaningless where `isUnordered`.
    package var streamSequence: UInt16
    package var protocolID: UInt32
    /// At least one byte.
    package var payload: [UInt8]
    package var isUnordered: Bool
    /// First fragment of its message.
    package var isBeginning: Bool
    /// Last fragment of its message.
    package var isEnd: Bool
    /// The sender wants to be answered at once (RFC 7053).
    package var isImmediate: Bool

    package init(
        tsn: UInt32, stream: UInt16, streamSequence: UInt16, protocolID: UInt32, payload: [UInt8],
        isUnordered: Bool = false, isBeginning: Bool = true, isEnd: Bool = true, isImmediate: Bool = false
    ) {
        self.tsn = tsn
        self.stream = stream
        self.streamSequence = streamSequence
        self.protocolID = protocolID
        self.payload = payload
        self.isUnordered = isUnordered
        self.isBeginning = isBeginning
        self.isEnd = isEnd
        self.isImmediate = isImmediate
    }

    init(parsing bytes: RawSpan, flags: UInt8) throws(WireError) {
        guard bytes.byteCount > DataChunk.headerLength else { throw .truncated }
        self.init(
            tsn: bytes.uint32(4), stream: bytes.uint16(8), streamSequence: bytes.uint16(10),
            protocolID: bytes.uint32(12), payload: bytes.array(DataChunk.headerLength..<bytes.byteCount),
            isUnordered: flags & 4 != 0, isBeginning: flags & 2 != 0, isEnd: flags & 1 != 0,
            isImmediate: flags & 8 != 0)
    }

    func append(to bytes: inout [UInt8]) {
        let flags: UInt8 = (isImmediate ? 8 : 0) | (isUnordered ? 4 : 0) | (isBeginning ? 2 : 0) | (isEnd ? 1 : 0)
        SCTPChunkHeader.append(type: SCTPChunk.Kind.data, flags: flags, to: &bytes)
        bytes.append32(tsn)
        bytes.append16(stream)
        bytes.append16(streamSequence)
        bytes.append32(protocolID)
        bytes += payload
    }
}
