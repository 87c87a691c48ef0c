/// Receiver report, RFC 3550 section 6.4.2.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|    RC   |   PT=RR=201   |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
///  |                      report blocks, RC of them                |
/// ```
package struct ReceiverReport: Hashable, Sendable {
    package var ssrc: UInt32
    /// At most 31 are written.
    package var reports: [ReportBlock]

    package init(ssrc: UInt32, reports: [ReportBlock] = []) {
        self.ssrc = ssrc
        self.reports = reports
    }

    init(parsing packet: RawSpan, count: Int) throws(WireError) {
        guard packet.byteCount >= 8 else { throw .truncated }
        self.init(ssrc: packet.uint32(4), reports: try ReportBlock.parse(packet, at: 8, count: count))
    }

    /// Length in bytes when written.
    package var encodedLength: Int {
        8 + min(reports.count, ReportBlock.maximumCount) * ReportBlock.encodedLength
    }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length else { return 0 }
        RTCPHeader.write(
            count: min(reports.count, ReportBlock.maximumCount), type: RTCPHeader.receiverReport, length: length,
            into: buffer)
        buffer.store(ssrc, at: 4)
        ReportBlock.write(reports, into: buffer, at: 8)
        return length
    }
}
