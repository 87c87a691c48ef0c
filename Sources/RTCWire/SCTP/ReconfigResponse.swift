/// Re-configuration Response, RFC 6525 section 4.4.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |     Parameter Type = 16       |      Parameter Length         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |         Re-configuration Response Sequence Number             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                            Result                             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                   Sender's Next TSN (optional)                |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                  Receiver's Next TSN (optional)               |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ReconfigResponse: Hashable, Sendable {
    package enum Result: UInt32, Hashable, Sendable {
        case nothingToDo = 0
        case performed = 1
        case denied = 2
        case wrongSSN = 3
        case alreadyInProgress = 4
        case badSequenceNumber = 5
        case inProgress = 6
    }

    package var responseSequence: UInt32
    package var result: Result

    package init(responseSequence: UInt32, result: Result) {
        self.responseSequence = responseSequence
        self.result = result
    }

    /// The TSNs, which only association resets have, are not read.
    init(parsing value: RawSpan) throws(WireError) {
        guard value.byteCount == 8 || value.byteCount == 16 else { throw .invalidLength }
        responseSequence = value.uint32(0)
        guard let result = Result(rawValue: value.uint32(4)) else { throw .invalidValue }
        self.result = result
    }

    var value: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append32(responseSequence)
        bytes.append32(result.rawValue)
        return bytes
    }
}
