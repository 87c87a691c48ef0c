/// What a VP9 key frame says of the layers to come, RFC 9628 section 4.2.1.
///
/// ```
///      +-+-+-+-+-+-+-+-+
///  V:  | N_S |Y|G|-|-|-|
///      +-+-+-+-+-+-+-+-+              -\
///  Y:  |     WIDTH, HEIGHT (32 bits)   |  N_S + 1 times
///      +-+-+-+-+-+-+-+-+              -/
///  G:  |      N_G      |
///      +-+-+-+-+-+-+-+-+              -\
///      | TID |U| R |-|-|               |  N_G times, each with R times P_DIFF
///      +-+-+-+-+-+-+-+-+              -/
/// ```
package struct VP9ScalabilityStructure: Sendable {
    /// 1...8.
    package let spatialLayers: Int
    /// In pixels, the first `spatialLayers` count; 0 where they aren't said.
    package private(set) var widths = InlineArray<8, UInt16>(repeating: 0)
    package private(set) var heights = InlineArray<8, UInt16>(repeating: 0)
    /// Pictures of the group that repeats; 0 where it isn't said.
    package private(set) var groupLength = 0
    /// The highest temporal layer of the group.
    package private(set) var highestTemporalID: UInt8 = 0
    /// Behind its last byte.
    package private(set) var end: Int

    /// Reads the structure at `offset` of an RTP payload.
    ///
    /// - Throws: `truncated` where the payload ends within it.
    package init(parsing payload: RawSpan, at offset: Int) throws(WireError) {
        guard offset >= 0, payload.byteCount > offset else { throw .truncated }
        let flags = payload.byte(offset)
        spatialLayers = Int(flags >> 5) + 1
        end = offset + 1
        if flags & 0x10 != 0 { try readSizes(payload) }
        if flags & 0x08 != 0 { try readGroup(payload) }
    }

    private mutating func readSizes(_ payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= end + 4 * spatialLayers else { throw .truncated }
        for layer in 0..<spatialLayers {
            widths[layer] = payload.uint16(end)
            heights[layer] = payload.uint16(end + 2)
            end += 4
        }
    }

    private mutating func readGroup(_ payload: RawSpan) throws(WireError) {
        guard payload.byteCount > end else { throw .truncated }
        groupLength = Int(payload.byte(end))
        end += 1
        for _ in 0..<groupLength {
            guard payload.byteCount > end else { throw .truncated }
            let picture = payload.byte(end)
            highestTemporalID = max(highestTemporalID, picture >> 5)
            end += 1 + Int(picture >> 2 & 3)
        }
        guard payload.byteCount >= end else { throw .truncated }
    }
}
