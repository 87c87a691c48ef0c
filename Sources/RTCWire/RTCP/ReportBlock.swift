/// What a receiver says about one source, RFC 3550 section 6.4.1.
///
/// ```
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |                 SSRC of the source reported on                |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | fraction lost |       cumulative number of packets lost       |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |           extended highest sequence number received           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      interarrival jitter                      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         last SR (LSR)                         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                   delay since last SR (DLSR)                  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ReportBlock: Hashable, Sendable {
    package static let encodedLength = 24
    /// The most that one report holds.
    package static let maximumCount = 31

    package var ssrc: UInt32
    /// Loss since the previous report in 1/256.
    package var fractionLost: UInt8
    /// Packets expected minus received since the beginning, signed 24 bits; values beyond are clamped when written.
    package var cumulativeLost: Int32
    /// Cycles in the high half, highest sequence number in the low half.
    package var highestSequenceNumber: UInt32
    /// In RTP ticks.
    package var jitter: UInt32
    /// The middle 32 bits of the NTP time of the last sender report, 0 before the first.
    package var lastSenderReport: UInt32
    /// In 1/65536 s.
    package var delaySinceLastSenderReport: UInt32

    package init(
        ssrc: UInt32, fractionLost: UInt8, cumulativeLost: Int32, highestSequenceNumber: UInt32, jitter: UInt32,
        lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.highestSequenceNumber = highestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Reads the block at `offset`; the caller has checked that it is there.
    private init(parsing bytes: RawSpan, at offset: Int) {
        self.init(
            ssrc: bytes.uint32(offset), fractionLost: bytes.byte(offset + 4),
            cumulativeLost: Int32(bitPattern: bytes.uint24(offset + 5) << 8) >> 8,
            highestSequenceNumber: bytes.uint32(offset + 8), jitter: bytes.uint32(offset + 12),
            lastSenderReport: bytes.uint32(offset + 16), delaySinceLastSenderReport: bytes.uint32(offset + 20))
    }

    /// Reads `count` blocks from `offset` on.
    static func parse(_ bytes: RawSpan, at offset: Int, count: Int) throws(WireError) -> [ReportBlock] {
        guard bytes.byteCount >= offset + count * encodedLength else { throw .truncated }
        var blocks: [ReportBlock] = []
        blocks.reserveCapacity(count)
        for index in 0..<count { blocks.append(ReportBlock(parsing: bytes, at: offset + index * encodedLength)) }
        return blocks
    }

    /// Writes the first 31 of `blocks` at `offset`; the caller has checked that they fit.
    static func write(_ blocks: [ReportBlock], into buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        var at = offset
        for block in blocks.prefix(maximumCount) {
            let lost = min(max(block.cumulativeLost, -0x80_0000), 0x7f_ffff)
            buffer.store(block.ssrc, at: at)
            buffer.store(block.fractionLost, at: at + 4)
            buffer.store24(UInt32(bitPattern: lost), at: at + 5)
            buffer.store(block.highestSequenceNumber, at: at + 8)
            buffer.store(block.jitter, at: at + 12)
            buffer.store(block.lastSenderReport, at: at + 16)
            buffer.store(block.delaySinceLastSenderReport, at: at + 20)
            at += encodedLength
        }
    }
}
