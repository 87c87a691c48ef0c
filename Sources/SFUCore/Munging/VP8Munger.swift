import RTCWire

/// Keeps picture ids and the count of base layer frames (RFC 7741 section 4.2) continuous for one consumer across changes
/// of the source.
struct VP8Munger {
    private var pictureID: UInt16?
    private var tl0PicIdx: UInt8?

    /// Sets the offsets with which a source goes on that begins with `descriptor`.
    func begin(_ descriptor: VP8PayloadDescriptor?, _ numbering: inout Numbering) {
        guard let descriptor else { return }
        if let last = pictureID, let first = descriptor.pictureID {
            numbering.pictureIDOffset = last &+ 1 &- first
        }
        if let last = tl0PicIdx, let first = descriptor.tl0PicIdx { numbering.tl0Offset = last &+ 1 &- first }
    }

    /// The descriptor that the consumer gets, of the same length as the source's.
    func rewrite(_ descriptor: VP8PayloadDescriptor, _ numbering: Numbering) -> VP8PayloadDescriptor {
        descriptor.renumbered(
            pictureID: (descriptor.pictureID ?? 0) &+ numbering.pictureIDOffset,
            tl0PicIdx: (descriptor.tl0PicIdx ?? 0) &+ numbering.tl0Offset)
    }

    /// Notes the newest frame that was sent on.
    mutating func note(_ descriptor: VP8PayloadDescriptor) {
        if let sent = descriptor.pictureID { pictureID = sent }
        if let sent = descriptor.tl0PicIdx { tl0PicIdx = sent }
    }
}
