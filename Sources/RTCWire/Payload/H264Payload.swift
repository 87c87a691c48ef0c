/// What a forwarder sees of an H.264 payload, RFC 6184 section 5: which NAL units stand or begin in it.
///
/// ```
///   0 1 2 3 4 5 6 7      type 1...23: one NAL unit
///  +-+-+-+-+-+-+-+-+     type 24, STAP-A: units, each behind its length of 16 bits
///  |F|NRI|  Type   |     type 28, FU-A: a fragment behind |S|E|R|  Type   |
///  +-+-+-+-+-+-+-+-+
/// ```
package struct H264Payload: Hashable, Sendable {
    /// A sequence parameter set is in the payload, or its first fragment.
    package private(set) var hasParameterSet = false
    /// A slice of an IDR picture is in the payload, or its first fragment.
    package private(set) var startsIDR = false
    /// NAL units that stand or begin in the payload.
    package private(set) var unitCount = 0

    /// - Throws: `truncated` where the payload is empty or a unit reaches behind it.
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 1 else { throw .truncated }
        switch payload.byte(0) & 0x1f {
        case 24: try readAggregate(payload)
        case 28:
            guard payload.byteCount >= 2 else { throw .truncated }
            let header = payload.byte(1)
            if header & 0x80 != 0 { note(header & 0x1f) }
        case let type: note(type)
        }
    }

    private mutating func readAggregate(_ payload: RawSpan) throws(WireError) {
        var offset = 1
        while offset < payload.byteCount {
            guard offset + 3 <= payload.byteCount else { throw .truncated }
            let length = Int(payload.uint16(offset))
            guard length > 0, offset + 2 + length <= payload.byteCount else { throw .truncated }
            note(payload.byte(offset + 2) & 0x1f)
            offset += 2 + length
        }
    }

    private mutating func note(_ type: UInt8) {
        unitCount += 1
        if type == 7 { hasParameterSet = true }
        if type == 5 { startsIDR = true }
    }
}
