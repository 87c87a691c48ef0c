/// Sender report, RFC 3550 section 6.4.1.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|    RC   |   PT=SR=200   |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         SSRC of sender                        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                    NTP timestamp, 64 bits                     |
///  |                                                               |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         RTP timestamp                         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     sender's packet count                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      sender's octet count                     |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |                      report blocks, RC of them                |
/// ```
package struct SenderReport: Hashable, Sendable {
    package var ssrc: UInt32
    /// 32.32 fixed point seconds since 1900.
    package var ntp: UInt64
    /// The RTP time of the same instant.
    package var rtpTimestamp: UInt32
    package var packetCount: UInt32
    /// Payload bytes only, without headers and padding.
    package var octetCount: UInt32
    /// At most 31 are written.
    package var reports: [ReportBlock]

    private static let fixedLength = 28

    package init(
        ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32,
        reports: [ReportBlock] = []
    ) {
        self.ssrc = ssrc
        self.ntp = ntp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.reports = reports
    }

    /// What a receiver echoes as LSR: the middle 32 bits of the NTP time.
    package var compactNTP: UInt32 { UInt32(truncatingIfNeeded: ntp >> 16) }

    init(parsing packet: RawSpan, count: Int) throws(WireError) {
        guard packet.byteCount >= SenderReport.fixedLength else { throw .truncated }
        self.init(
            ssrc: packet.uint32(4), ntp: packet.uint64(8), rtpTimestamp: packet.uint32(16),
            packetCount: packet.uint32(20), octetCount: packet.uint32(24),
            reports: try ReportBlock.parse(packet, at: SenderReport.fixedLength, count: count))
    }

    /// Length in bytes when written.
    package var encodedLength: Int {
        SenderReport.fixedLength + min(reports.count, ReportBlock.maximumCount) * ReportBlock.encodedLength
    }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length else { return 0 }
        RTCPHeader.write(
            count: min(reports.count, ReportBlock.maximumCount), type: RTCPHeader.senderReport, length: length,
            into: buffer)
        buffer.store(ssrc, at: 4)
        buffer.store(ntp, at: 8)
        buffer.store(rtpTimestamp, at: 16)
        buffer.store(packetCount, at: 20)
        buffer.store(octetCount, at: 24)
        ReportBlock.write(reports, into: buffer, at: SenderReport.fixedLength)
        return length
    }
}
