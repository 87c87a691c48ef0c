/// The descriptor at the beginning of every VP8 payload, RFC 7741 section 4.2.
///
/// ```
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |X|R|N|S|R| PID |
///     +-+-+-+-+-+-+-+-+
///  X: |I|L|T|K| RSV   |
///     +-+-+-+-+-+-+-+-+
///  I: |M| PictureID   |
///     +-+-+-+-+-+-+-+-+
///  M: |   PictureID   |
///     +-+-+-+-+-+-+-+-+
///  L: |   TL0PICIDX   |
///     +-+-+-+-+-+-+-+-+
/// TK: |TID|Y| KEYIDX  |
///     +-+-+-+-+-+-+-+-+
/// ```
package struct VP8PayloadDescriptor: Hashable, Sendable {
    /// The longest descriptor in bytes.
    package static let maximumLength = 6

    /// How a picture id is written.
    package enum PictureIDWidth: UInt8, Hashable, Sendable {
        case sevenBits, fifteenBits

        /// The bits that a picture id of this width has.
        package var mask: UInt16 { self == .sevenBits ? 0x7f : 0x7fff }
    }

    /// N: no other frame refers to this one.
    package var isNonReference = false
    /// S: the payload begins a partition.
    package var startsPartition = false
    /// PID: 0...7; the frame begins where `startsPartition` holds and this is 0.
    package var partitionIndex: UInt8 = 0
    package var pictureID: UInt16?
    package var pictureIDWidth = PictureIDWidth.fifteenBits
    /// Counts the frames of temporal layer 0, modulo 256.
    package var tl0PicIdx: UInt8?
    /// Temporal layer, 0...3.
    package var temporalID: UInt8?
    /// Y: the frame refers to layer 0 only; meaningful with a temporal layer.
    package var isLayerSync = false
    /// 0...31.
    package var keyIndex: UInt8?
    /// The octet of I, L, T, K is there though none of them is set: kept so that a copy has the original's length.
    private var hasBareExtension = false

    /// A descriptor of one byte.
    package init() {}

    /// Reads the descriptor at the beginning of an RTP payload.
    ///
    /// - Throws: `truncated` where the payload ends within it.
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 1 else { throw .truncated }
        let first = payload.byte(0)
        isNonReference = first & 0x20 != 0
        startsPartition = first & 0x10 != 0
        partitionIndex = first & 0x07
        guard first & 0x80 != 0 else { return }
        guard payload.byteCount >= 2 else { throw .truncated }
        try readExtension(payload, payload.byte(1))
    }

    private mutating func readExtension(_ payload: RawSpan, _ flags: UInt8) throws(WireError) {
        var offset = 2
        hasBareExtension = flags & 0xf0 == 0
        if flags & 0x80 != 0 {
            guard payload.byteCount > offset else { throw .truncated }
            pictureIDWidth = payload.byte(offset) & 0x80 != 0 ? .fifteenBits : .sevenBits
            guard payload.byteCount >= offset + pictureIDLength(pictureIDWidth) else { throw .truncated }
            pictureID =
                pictureIDWidth == .fifteenBits ? payload.uint16(offset) & 0x7fff : UInt16(payload.byte(offset))
            offset += pictureIDLength(pictureIDWidth)
        }
        if flags & 0x40 != 0 {
            guard payload.byteCount > offset else { throw .truncated }
            tl0PicIdx = payload.byte(offset)
            offset += 1
        }
        guard flags & 0x30 != 0 else { return }
        guard payload.byteCount > offset else { throw .truncated }
        let layers = payload.byte(offset)
        if flags & 0x20 != 0 {
            temporalID = layers >> 6
            isLayerSync = layers & 0x20 != 0
        }
        if flags & 0x10 != 0 { keyIndex = layers & 0x1f }
    }

    /// The payload begins a frame, so the VP8 frame header follows the descriptor.
    package var startsFrame: Bool { startsPartition && partitionIndex == 0 }

    /// Length in bytes: what parsing consumed, and what writing produces.
    package var encodedLength: Int {
        guard hasExtension else { return 1 }
        let layers = temporalID != nil || keyIndex != nil ? 1 : 0
        return 2 + (pictureID == nil ? 0 : pictureIDLength(pictureIDWidth)) + (tl0PicIdx == nil ? 0 : 1) + layers
    }

    /// The same descriptor with another picture id and layer 0 index, of the same length: what is absent stays absent,
    /// and a picture id of seven bits keeps seven (so its numbers go modulo 128).
    package func renumbered(pictureID: UInt16, tl0PicIdx: UInt8) -> VP8PayloadDescriptor {
        var copy = self
        if self.pictureID != nil { copy.pictureID = pictureID & pictureIDWidth.mask }
        if self.tl0PicIdx != nil { copy.tl0PicIdx = tl0PicIdx }
        return copy
    }

    /// Writes the descriptor and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length else { return 0 }
        let flags: UInt8 = (isNonReference ? 0x20 : 0) | (startsPartition ? 0x10 : 0)
        buffer[0] = flags | (hasExtension ? 0x80 : 0) | (partitionIndex & 0x07)
        guard hasExtension else { return length }
        buffer[1] = extensionFlags
        var offset = 2
        if let pictureID {
            if pictureIDWidth == .fifteenBits {
                buffer.store(pictureID | 0x8000, at: offset)
            } else {
                buffer[offset] = UInt8(pictureID & 0x7f)
            }
            offset += pictureIDLength(pictureIDWidth)
        }
        if let tl0PicIdx {
            buffer[offset] = tl0PicIdx
            offset += 1
        }
        guard temporalID != nil || keyIndex != nil else { return length }
        let temporal = (temporalID ?? 0) << 6 | (temporalID != nil && isLayerSync ? 0x20 : 0)
        buffer[offset] = temporal | (keyIndex ?? 0) & 0x1f
        return length
    }

    private var hasExtension: Bool { hasBareExtension || extensionFlags != 0 }

    private var extensionFlags: UInt8 {
        (pictureID == nil ? 0 : 0x80) | (tl0PicIdx == nil ? 0 : 0x40) | (temporalID == nil ? 0 : 0x20)
            | (keyIndex == nil ? 0 : 0x10)
    }

    private func pictureIDLength(_ width: PictureIDWidth) -> Int { width == .fifteenBits ? 2 : 1 }
}
