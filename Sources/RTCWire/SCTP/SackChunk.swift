/// SACK, RFC 9260 section 3.3.4.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 3    |  Chunk Flags  |         Chunk Length          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      Cumulative TSN Ack                       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |          Advertised Receiver Window Credit (a_rwnd)           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | Number of Gap Ack Blocks = N  |  Number of Duplicate TSNs = M |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |    Gap Ack Block #1 Start     |     Gap Ack Block #1 End      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                              ...                              \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                        Duplicate TSN 1                        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                              ...                              \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct SackChunk: Hashable, Sendable {
    package static let fixedLength = 16

    /// TSNs that were received, as distances from the cumulative TSN, both ends included.
    package struct GapBlock: Hashable, Sendable {
        package var start: UInt16
        package var end: UInt16

        package init(start: UInt16, end: UInt16) {
            self.start = start
            self.end = end
        }
    }

    package var cumulativeTSN: UInt32
    package var receiverWindow: UInt32
    package var gapBlocks: [GapBlock]
    package var duplicates: [UInt32]

    package init(
        cumulativeTSN: UInt32, receiverWindow: UInt32, gapBlocks: [GapBlock] = [], duplicates: [UInt32] = []
    ) {
        self.cumulativeTSN = cumulativeTSN
        self.receiverWindow = receiverWindow
        self.gapBlocks = gapBlocks
        self.duplicates = duplicates
    }

    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= SackChunk.fixedLength else { throw .truncated }
        cumulativeTSN = bytes.uint32(4)
        receiverWindow = bytes.uint32(8)
        let gaps = Int(bytes.uint16(12))
        let repeats = Int(bytes.uint16(14))
        let start = SackChunk.fixedLength
        guard bytes.byteCount == start + 4 * (gaps + repeats) else { throw .invalidLength }
        gapBlocks = (0..<gaps).map { index in
            GapBlock(start: bytes.uint16(start + 4 * index), end: bytes.uint16(start + 4 * index + 2))
        }
        duplicates = (0..<repeats).map { bytes.uint32(start + 4 * (gaps + $0)) }
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.sack, to: &bytes)
        bytes.append32(cumulativeTSN)
        bytes.append32(receiverWindow)
        bytes.append16(UInt16(clamping: gapBlocks.count))
        bytes.append16(UInt16(clamping: duplicates.count))
        for block in gapBlocks {
            bytes.append16(block.start)
            bytes.append16(block.end)
        }
        for tsn in duplicates { bytes.append32(tsn) }
    }
}
