/// FORWARD TSN, RFC 3758 section 3.2: what was abandoned up to a TSN is not to be waited for.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 192  |  Flags = 0x00 |        Length = Variable      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      New Cumulative TSN                       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |         Stream-1              |       Stream Sequence-1       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                              ...                              \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ForwardTSNChunk: Hashable, Sendable {
    package static let fixedLength = 8

    /// The last abandoned ordered message of one stream.
    package struct Skipped: Hashable, Sendable {
        package var stream: UInt16
        package var streamSequence: UInt16

        package init(stream: UInt16, streamSequence: UInt16) {
            self.stream = stream
            self.streamSequence = streamSequence
        }
    }

    package var newCumulativeTSN: UInt32
    package var skipped: [Skipped]

    package init(newCumulativeTSN: UInt32, skipped: [Skipped]) {
        self.newCumulativeTSN = newCumulativeTSN
        self.skipped = skipped
    }

    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= ForwardTSNChunk.fixedLength else { throw .truncated }
        guard bytes.byteCount & 3 == 0 else { throw .invalidLength }
        newCumulativeTSN = bytes.uint32(4)
        skipped = stride(from: ForwardTSNChunk.fixedLength, to: bytes.byteCount, by: 4).map { offset in
            Skipped(stream: bytes.uint16(offset), streamSequence: bytes.uint16(offset + 2))
        }
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.forwardTSN, to: &bytes)
        bytes.append32(newCumulativeTSN)
        for entry in skipped {
            bytes.append16(entry.stream)
            bytes.append16(entry.streamSequence)
        }
    }
}
