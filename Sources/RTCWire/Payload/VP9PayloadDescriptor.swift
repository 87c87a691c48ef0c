/// The descriptor at the beginning of every VP9 payload, RFC 9628 section 4.2.
///
/// ```
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |I|P|L|F|B|E|V|Z|
///     +-+-+-+-+-+-+-+-+
///  I: |M| PICTURE ID  |
///     +-+-+-+-+-+-+-+-+
///  M: | EXTENDED PID  |
///     +-+-+-+-+-+-+-+-+
///  L: | TID |U| SID |D|
///     +-+-+-+-+-+-+-+-+
///     |   TL0PICIDX   |     L without F
///     +-+-+-+-+-+-+-+-+
///     |  P_DIFF   |N|       P and F: up to three
///     +-+-+-+-+-+-+-+-+
///  V: | SS ...        |     `VP9ScalabilityStructure`
///     +-+-+-+-+-+-+-+-+
/// ```
package struct VP9PayloadDescriptor: Hashable, Sendable {
    /// How many bytes `writeHead` writes at most: all that renumbering may change stands in them.
    package static let maximumHead = 5

    private let flags: UInt8
    /// 7 or 15 bits.
    package let pictureID: UInt16?
    package let pictureIDWidth: VP8PayloadDescriptor.PictureIDWidth
    /// Temporal layer, 0...7.
    package let temporalID: UInt8
    /// U: later pictures of higher temporal layers refer to nothing before this one above its own layer.
    package let isSwitchingPoint: Bool
    /// Spatial layer, 0...7.
    package let spatialID: UInt8
    /// D: refers to the next lower spatial layer of the same picture.
    package let isInterLayerPredicted: Bool
    /// Counts the pictures of temporal layer 0, modulo 256; absent in flexible mode.
    package let tl0PicIdx: UInt8?
    /// Pictures that this one refers to in flexible mode, counted back from it; the first `referenceCount` count.
    package private(set) var references = InlineArray<3, UInt8>(repeating: 0)
    package private(set) var referenceCount = 0
    /// Where the scalability structure begins; nil where there is none.
    package private(set) var structureOffset: Int?
    /// Length in bytes without the scalability structure.
    private var plainLength: Int
    private let layerOctet: UInt8

    /// P: refers to earlier pictures.
    package var isInterPicturePredicted: Bool { flags & 0x40 != 0 }
    /// L
    package var hasLayers: Bool { flags & 0x20 != 0 }
    /// F
    package var isFlexible: Bool { flags & 0x10 != 0 }
    /// B: begins a frame, which is one spatial layer of a picture.
    package var startsFrame: Bool { flags & 0x08 != 0 }
    /// E: ends a frame.
    package var endsFrame: Bool { flags & 0x04 != 0 }
    /// Z: no higher spatial layer of the picture refers to this frame.
    package var isNotForHigherLayers: Bool { flags & 0x01 != 0 }
    /// Decoding may begin with this packet.
    package var startsKeyFrame: Bool { startsFrame && !isInterPicturePredicted && spatialID == 0 }

    /// Reads the descriptor at the beginning of an RTP payload.
    ///
    /// - Throws: `truncated` where the payload ends within it, `invalidValue` for more than three references.
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 1 else { throw .truncated }
        flags = payload.byte(0)
        var offset = 1
        if flags & 0x80 != 0 {
            guard payload.byteCount > offset else { throw .truncated }
            let isLong = payload.byte(offset) & 0x80 != 0
            guard payload.byteCount >= offset + (isLong ? 2 : 1) else { throw .truncated }
            pictureIDWidth = isLong ? .fifteenBits : .sevenBits
            pictureID = isLong ? payload.uint16(offset) & 0x7fff : UInt16(payload.byte(offset))
            offset += isLong ? 2 : 1
        } else {
            pictureIDWidth = .sevenBits
            pictureID = nil
        }
        var layers: UInt8 = 0
        var tl0: UInt8?
        if flags & 0x20 != 0 {
            let isCounted = flags & 0x10 == 0
            guard payload.byteCount >= offset + (isCounted ? 2 : 1) else { throw .truncated }
            layers = payload.byte(offset)
            if isCounted { tl0 = payload.byte(offset + 1) }
            offset += isCounted ? 2 : 1
        }
        layerOctet = layers
        temporalID = layers >> 5
        isSwitchingPoint = layers & 0x10 != 0
        spatialID = layers >> 1 & 7
        isInterLayerPredicted = layers & 0x01 != 0
        tl0PicIdx = tl0
        plainLength = offset
        if flags & 0x50 == 0x50 { try readReferences(payload) }
        if flags & 0x02 != 0 { structureOffset = plainLength }
    }

    private mutating func readReferences(_ payload: RawSpan) throws(WireError) {
        while true {
            guard referenceCount < 3 else { throw .invalidValue }
            guard payload.byteCount > plainLength else { throw .truncated }
            let octet = payload.byte(plainLength)
            references[referenceCount] = octet >> 1
            referenceCount += 1
            plainLength += 1
            guard octet & 1 != 0 else { return }
        }
    }

    /// Length in bytes, the scalability structure included: where the VP9 frame's data begins.
    ///
    /// - Throws: what reading the structure throws.
    package func encodedLength(in payload: RawSpan) throws(WireError) -> Int {
        guard let structureOffset else { return plainLength }
        return try VP9ScalabilityStructure(parsing: payload, at: structureOffset).end
    }

    /// Writes the bytes up to the count of layer 0 pictures anew, of the same length and with these numbers, and gives how
    /// many those are; what follows stays as it is. 0, writing nothing, where `buffer` is too small.
    package func writeHead(
        pictureID newID: UInt16, tl0PicIdx newIndex: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard buffer.count >= VP9PayloadDescriptor.maximumHead else { return 0 }
        buffer[0] = flags
        var offset = 1
        if pictureID != nil {
            if pictureIDWidth == .fifteenBits {
                buffer.store(newID | 0x8000, at: 1)
                offset = 3
            } else {
                buffer[1] = UInt8(newID & 0x7f)
                offset = 2
            }
        }
        if hasLayers {
            buffer[offset] = layerOctet
            offset += 1
        }
        if tl0PicIdx != nil {
            buffer[offset] = newIndex
            offset += 1
        }
        return offset
    }

    package static func == (a: VP9PayloadDescriptor, b: VP9PayloadDescriptor) -> Bool {
        a.flags == b.flags && a.pictureID == b.pictureID && a.pictureIDWidth == b.pictureIDWidth
            && a.layerOctet == b.layerOctet && a.tl0PicIdx == b.tl0PicIdx && a.referenceCount == b.referenceCount
            && a.references[0] == b.references[0] && a.references[1] == b.references[1]
            && a.references[2] == b.references[2] && a.plainLength == b.plainLength
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(flags)
        hasher.combine(pictureID)
        hasher.combine(layerOctet)
        hasher.combine(tl0PicIdx)
    }
}
