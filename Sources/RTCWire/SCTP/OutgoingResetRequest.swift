/// Outgoing SSN Reset Request, RFC 6525 section 4.1: the sender will begin these streams of its own anew.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |     Parameter Type = 13       | Parameter Length = 16 + 2 * N |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |           Re-configuration Request Sequence Number            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |           Re-configuration Response Sequence Number           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                Sender's Last Assigned TSN                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Stream Number 1 (optional)   |    Stream Number 2 (optional) |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct OutgoingResetRequest: Hashable, Sendable {
    package var requestSequence: UInt32
    /// The incoming reset request that this one answers, else the other side's next number minus one.
    package var responseSequence: UInt32
    package var lastAssignedTSN: UInt32
    /// Empty for all.
    package var streams: [UInt16]

    package init(requestSequence: UInt32, responseSequence: UInt32, lastAssignedTSN: UInt32, streams: [UInt16]) {
        self.requestSequence = requestSequence
        self.responseSequence = responseSequence
        self.lastAssignedTSN = lastAssignedTSN
        self.streams = streams
    }

    init(parsing value: RawSpan) throws(WireError) {
        guard value.byteCount >= 12, value.byteCount & 1 == 0 else { throw .invalidLength }
        requestSequence = value.uint32(0)
        responseSequence = value.uint32(4)
        lastAssignedTSN = value.uint32(8)
        streams = stride(from: 12, to: value.byteCount, by: 2).map { value.uint16($0) }
    }

    var value: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append32(requestSequence)
        bytes.append32(responseSequence)
        bytes.append32(lastAssignedTSN)
        for stream in streams { bytes.append16(stream) }
        return bytes
    }
}
