/// HEARTBEAT and HEARTBEAT ACK, RFC 9260 sections 3.3.5 and 3.3.6.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | Type = 4 or 5 |  Chunk Flags  |       Heartbeat Length        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |    Heartbeat Info Type = 1    |          Info Length          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                   Sender-specific information                 \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct HeartbeatChunk: Hashable, Sendable {
    private static let infoType: UInt16 = 1

    /// What comes back unchanged.
    package var info: [UInt8]

    package init(info: [UInt8]) { self.info = info }

    init(parsing bytes: RawSpan) throws(WireError) {
        let parameters = try SCTPParameter.list(bytes, from: SCTPChunkHeader.length)
        guard let first = parameters.first, first.type == HeartbeatChunk.infoType else { throw .invalidValue }
        info = first.value
    }

    func append(type: UInt8, to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: type, to: &bytes)
        SCTPParameter.append([SCTPParameter(type: HeartbeatChunk.infoType, value: info)], to: &bytes)
    }
}
