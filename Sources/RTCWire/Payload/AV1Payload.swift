/// What a forwarder sees of an AV1 payload: the aggregation header and the OBUs that begin in it, AV1 RTP specification
/// section 4.4.
///
/// ```
///   0 1 2 3 4 5 6 7     Z: the first element continues one of the packet before, Y: the last one goes on in the next
///  +-+-+-+-+-+-+-+-+    W: elements, the last one then without a length; 0: each has a length (leb128)
///  |Z|Y| W |N|-|-|-|    N: begins a coded video sequence
///  +-+-+-+-+-+-+-+-+
/// ```
package struct AV1Payload: Hashable, Sendable {
    /// Z
    package let continuesElement: Bool
    /// Y
    package let isContinued: Bool
    /// N
    package let startsSequence: Bool
    /// A sequence header OBU begins in the payload.
    package private(set) var hasSequenceHeader = false
    /// OBU elements in the payload, a fragment at its beginning included.
    package private(set) var elementCount = 0

    /// - Throws: `truncated` where the payload is empty or an element reaches behind it, `invalidValue` for a length of
    ///   more than eight bytes.
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 1 else { throw .truncated }
        let header = payload.byte(0)
        continuesElement = header & 0x80 != 0
        isContinued = header & 0x40 != 0
        startsSequence = header & 0x08 != 0
        try readElements(payload, count: Int(header >> 4 & 3))
    }

    /// Decoding may begin with this packet.
    package var startsKeyFrame: Bool { !continuesElement && (startsSequence || hasSequenceHeader) }

    private mutating func readElements(_ payload: RawSpan, count: Int) throws(WireError) {
        var offset = 1
        while offset < payload.byteCount {
            var length = payload.byteCount - offset
            if count == 0 || elementCount < count - 1 {
                let size = try AV1Payload.leb128(payload, &offset)
                guard size <= payload.byteCount - offset else { throw .truncated }
                length = size
            }
            let isFragment = elementCount == 0 && continuesElement
            // obu_header: |F| type, 4 bits |X|S|-|
            if length > 0, !isFragment, payload.byte(offset) >> 3 & 0x0f == 1 { hasSequenceHeader = true }
            elementCount += 1
            offset += length
        }
    }

    /// An unsigned number of seven bits a byte, the lowest first; what exceeds 32 bits can't be a length.
    private static func leb128(_ payload: RawSpan, _ offset: inout Int) throws(WireError) -> Int {
        var value: UInt64 = 0
        for shift in 0..<8 {
            guard offset < payload.byteCount else { throw .truncated }
            let byte = payload.byte(offset)
            offset += 1
            value |= UInt64(byte & 0x7f) << UInt64(7 * shift)
            guard byte & 0x80 != 0 else {
                guard value <= UInt64(UInt32.max) else { throw .invalidValue }
                return Int(value)
            }
        }
        throw .invalidValue
    }
}
