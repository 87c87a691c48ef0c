/// The head of a transport-wide congestion control feedback, draft-holmer-rmcat-transport-wide-cc-extensions-01
/// section 3.1. The status chunks and receive deltas behind it are an estimator's to read.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  FMT=15 |    PT=205     |           length              |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      SSRC of media source                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      base sequence number     |      packet status count      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                 reference time                | fb pkt. count |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct TransportFeedback: Hashable, Sendable {
    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    package var baseSequenceNumber: UInt16
    package var packetStatusCount: UInt16
    /// Signed 24 bits, in units of 64 ms.
    package var referenceTime: Int32
    /// Counts the feedback packets, modulo 256.
    package var feedbackCount: UInt8

    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= 20 else { throw .truncated }
        senderSSRC = packet.uint32(4)
        mediaSSRC = packet.uint32(8)
        baseSequenceNumber = packet.uint16(12)
        packetStatusCount = packet.uint16(14)
        referenceTime = Int32(bitPattern: packet.uint24(16) << 8) >> 8
        feedbackCount = packet.byte(19)
    }
}
