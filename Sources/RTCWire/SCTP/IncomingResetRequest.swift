/// Incoming SSN Reset Request, RFC 6525 section 4.2: the sender wants the receiver to begin its streams anew.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |     Parameter Type = 14       |  Parameter Length = 8 + 2 * N |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |          Re-configuration Request Sequence Number             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Stream Number 1 (optional)   |    Stream Number 2 (optional) |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct IncomingResetRequest: Hashable, Sendable {
    package var requestSequence: UInt32
    /// Empty for all.
    package var streams: [UInt16]

    package init(requestSequence: UInt32, streams: [UInt16]) {
        self.requestSequence = requestSequence
        self.streams = streams
    }

    init(parsing value: RawSpan) throws(WireError) {
        guard value.byteCount >= 4, value.byteCount & 1 == 0 else { throw .invalidLength }
        requestSequence = value.uint32(0)
        streams = stride(from: 4, to: value.byteCount, by: 2).map { value.uint16($0) }
    }

    var value: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append32(requestSequence)
        for stream in streams { bytes.append16(stream) }
        return bytes
    }
}
