/// What a forwarder sees of an H.265 payload, RFC 7798 section 4.4: which NAL units stand or begin in it.
///
/// ```
///   0                   1
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5      type 48, AP: units, each behind its length of 16 bits
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+     type 49, FU: a fragment behind |S|E|  FuType  |
///  |F|   Type    |  LayerId  | TID |     other types: one NAL unit
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct H265Payload: Hashable, Sendable {
    /// A video or sequence parameter set is in the payload, or its first fragment.
    package private(set) var hasParameterSet = false
    /// A slice of a picture that decoding may begin with (types 16...23) is in the payload, or its first fragment.
    package private(set) var startsIRAP = false
    /// NAL units that stand or begin in the payload.
    package private(set) var unitCount = 0

    /// - Throws: `truncated` where the payload is too short or a unit reaches behind it.
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 2 else { throw .truncated }
        switch payload.byte(0) >> 1 & 0x3f {
        case 48: try readAggregate(payload)
        case 49:
            guard payload.byteCount >= 3 else { throw .truncated }
            let header = payload.byte(2)
            if header & 0x80 != 0 { note(header & 0x3f) }
        case let type: note(type)
        }
    }

    private mutating func readAggregate(_ payload: RawSpan) throws(WireError) {
        var offset = 2
        while offset < payload.byteCount {
            guard offset + 4 <= payload.byteCount else { throw .truncated }
            let length = Int(payload.uint16(offset))
            guard length >= 2, offset + 2 + length <= payload.byteCount else { throw .truncated }
            note(payload.byte(offset + 2) >> 1 & 0x3f)
            offset += 2 + length
        }
    }

    private mutating func note(_ type: UInt8) {
        unitCount += 1
        if type == 32 || type == 33 { hasParameterSet = true }
        if (16...23).contains(type) { startsIRAP = true }
    }
}
