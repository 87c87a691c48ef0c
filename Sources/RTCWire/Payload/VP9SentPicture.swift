/// The descriptor of a VP9 picture that has one spatial and one temporal layer and refers to the picture before it, as a
/// sender writes it: flexible mode, RFC 9628 section 4.2.
///
/// A key frame's first packet says the picture's size in a scalability structure (section 4.2.1).
package struct VP9SentPicture: Hashable, Sendable {
    /// 15 bits.
    package var pictureID: UInt16
    package var isKeyFrame: Bool
    package var width: Int
    package var height: Int

    package init(pictureID: UInt16, isKeyFrame: Bool, width: Int, height: Int) {
        self.pictureID = pictureID & 0x7fff
        self.isKeyFrame = isKeyFrame
        self.width = width
        self.height = height
    }

    /// Bytes that the descriptor of a packet takes at most.
    package var longestDescriptor: Int { isKeyFrame ? 9 : 5 }

    /// Writes the descriptor of one packet and gives its length; `buffer` holds `longestDescriptor` bytes.
    package func write(isFirst: Bool, isLast: Bool, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let hasStructure = isKeyFrame && isFirst
        // I, L and F; then P, B, E and V.
        var flags: UInt8 = 0xb0
        if !isKeyFrame { flags |= 0x40 }
        if isFirst { flags |= 0x08 }
        if isLast { flags |= 0x04 }
        if hasStructure { flags |= 0x02 }
        buffer[0] = flags
        buffer.store(pictureID | 0x8000, at: 1)
        // Temporal and spatial layer 0.
        buffer[3] = 0
        guard hasStructure else {
            guard !isKeyFrame else { return 4 }
            // One reference: the picture before.
            buffer[4] = 1 << 1
            return 5
        }
        // One spatial layer, Y: its size follows; no group of pictures.
        buffer[4] = 0x10
        buffer.store(UInt16(clamping: width), at: 5)
        buffer.store(UInt16(clamping: height), at: 7)
        return 9
    }
}
