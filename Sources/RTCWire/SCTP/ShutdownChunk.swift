/// SHUTDOWN, RFC 9260 section 3.3.8. SHUTDOWN ACK (3.3.9) has a head only.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 7    |  Chunk Flags  |          Length = 8           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      Cumulative TSN Ack                       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ShutdownChunk: Hashable, Sendable {
    package var cumulativeTSN: UInt32

    package init(cumulativeTSN: UInt32) { self.cumulativeTSN = cumulativeTSN }

    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount == 8 else { throw .invalidLength }
        cumulativeTSN = bytes.uint32(4)
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.shutdown, to: &bytes)
        bytes.append32(cumulativeTSN)
    }
}
