import RTCWire

/// Keeps picture ids, the count of base layer frames (RFC 7741 section 4.2, RFC 9628 section 4.2) and the frame numbers of
/// dependency descriptors continuous for one consumer across changes of the source.
struct PictureMunger {
    private(set) var pictureID: UInt16?
    private(set) var tl0PicIdx: UInt8?
    private var frameNumber: UInt16?
    /// The latest one that was sent on, as the consumer got it.
    private(set) var vp8: VP8PayloadDescriptor?
    /// The latest picture id that was left out, as the source gave it.
    private var leftOut: UInt16?

    /// Sets the offsets with which a source goes on that begins with `packet`.
    func begin(_ packet: borrowing SourcePacket, _ numbering: inout Numbering) {
        switch packet.head {
        case .vp8(let descriptor): begin(descriptor.pictureID, descriptor.tl0PicIdx, &numbering)
        case .vp9(let descriptor): begin(descriptor.pictureID, descriptor.tl0PicIdx, &numbering)
        case .none: break
        }
        if let last = frameNumber,
            let first = DependencyDescriptor.frameNumber(of: packet.opaque.dependencyDescriptor.bytes)
        {
            numbering.frameOffset = last &+ 1 &- first
        }
    }

    private func begin(_ firstPicture: UInt16?, _ firstIndex: UInt8?, _ numbering: inout Numbering) {
        if let last = pictureID, let first = firstPicture { numbering.pictureIDOffset = last &+ 1 &- first }
        if let last = tl0PicIdx, let first = firstIndex { numbering.tl0Offset = last &+ 1 &- first }
    }

    /// How many picture ids are left out with this packet, which is not sent. Decoders of VP8 wait for missing ones, so a
    /// picture that is left out leaves none; VP9's count on gaps.
    mutating func leaveOut(_ packet: borrowing SourcePacket) -> UInt16 {
        guard case .vp8(let descriptor) = packet.head, let picture = descriptor.pictureID, picture != leftOut else {
            return 0
        }
        leftOut = picture
        return 1
    }

    /// Writes the beginning of the payload as the consumer gets it, of the same length as the source's, and gives that
    /// length. Notes the numbers where `isNewest`.
    mutating func write(
        _ head: PayloadHead, _ numbering: Numbering, isNewest: Bool, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        switch head {
        case .none: return 0
        case .vp8(let descriptor):
            let rewritten = descriptor.renumbered(
                pictureID: (descriptor.pictureID ?? 0) &+ numbering.pictureIDOffset,
                tl0PicIdx: (descriptor.tl0PicIdx ?? 0) &+ numbering.tl0Offset)
            if isNewest {
                vp8 = rewritten
                note(rewritten.pictureID, rewritten.tl0PicIdx)
            }
            return rewritten.write(into: buffer)
        case .vp9(let descriptor):
            let mask = descriptor.pictureIDWidth.mask
            let picture = (descriptor.pictureID ?? 0) &+ numbering.pictureIDOffset & mask
            let index = (descriptor.tl0PicIdx ?? 0) &+ numbering.tl0Offset
            if isNewest {
                note(descriptor.pictureID == nil ? nil : picture & mask, descriptor.tl0PicIdx == nil ? nil : index)
            }
            return descriptor.writeHead(pictureID: picture & mask, tl0PicIdx: index, into: buffer)
        }
    }

    private mutating func note(_ pictureID: UInt16?, _ tl0PicIdx: UInt8?) {
        if let pictureID { self.pictureID = pictureID }
        if let tl0PicIdx { self.tl0PicIdx = tl0PicIdx }
    }

    /// Writes the packet's dependency descriptor as the consumer gets it and gives its length; 0 where it stays as it is.
    mutating func writeDependency(
        _ packet: borrowing SourcePacket, _ numbering: Numbering, targets: UInt32?, decodeTargets: Int, isNewest: Bool,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let original = packet.opaque.dependencyDescriptor
        guard let number = DependencyDescriptor.frameNumber(of: original.bytes) else { return 0 }
        let sent = number &+ numbering.frameOffset
        if isNewest { frameNumber = sent }
        if numbering.frameOffset == 0, targets == nil { return 0 }
        if let dependency = packet.dependency {
            return dependency.write(
                copyOf: original.bytes, frameNumber: sent, activeTargets: targets, decodeTargets: decodeTargets,
                into: buffer)
        }
        guard original.count <= buffer.count else { return 0 }
        buffer.copyMemory(from: original)
        buffer.store(sent, at: 1)
        return original.count
    }

    /// The descriptor of a key frame of our own making that follows what was sent; nil where nothing was.
    mutating func nextVP8() -> VP8PayloadDescriptor? {
        guard var descriptor = vp8 else { return nil }
        descriptor.isNonReference = false
        descriptor.startsPartition = true
        descriptor.partitionIndex = 0
        if descriptor.temporalID != nil { descriptor.temporalID = 0 }
        descriptor.isLayerSync = false
        descriptor = descriptor.renumbered(
            pictureID: (pictureID ?? 0) &+ 1, tl0PicIdx: (tl0PicIdx ?? 0) &+ 1)
        vp8 = descriptor
        note(descriptor.pictureID, descriptor.tl0PicIdx)
        return descriptor
    }
}
