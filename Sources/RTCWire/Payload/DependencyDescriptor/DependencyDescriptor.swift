/// The dependency descriptor header extension, AV1 RTP specification appendix A: which layer a frame is of, which decode
/// targets it is part of and what it refers to, for any codec.
///
/// ```
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |S|E| template  |          frame number         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |T|A|D|F|C| [T: structure] [A: active targets] [D: indications] [F: references] [C: chains]
///  +-+-+-+-+-+ ...
/// ```
package struct DependencyDescriptor: Sendable {
    /// References of one frame that are kept; codecs have eight reference buffers.
    package static let maximumReferences = 16
    /// The longest descriptor that is read, in bytes.
    package static let maximumLength = 255

    /// S: first packet of the frame.
    package let startsFrame: Bool
    /// E: last packet of the frame.
    package let endsFrame: Bool
    /// Six bits.
    package let templateID: UInt8
    /// Counts frames in decoding order, 16 bits.
    package let frameNumber: UInt16
    /// The bits of the attached structure, its flag not included; nil where none is attached.
    package private(set) var structureBits: Range<Int>?
    /// The decode targets that are sent from this frame on, as a bit mask; nil where nothing changes.
    package private(set) var activeTargets: UInt32?
    package private(set) var spatialID: UInt8 = 0
    package private(set) var temporalID: UInt8 = 0
    /// Two bits a decode target.
    package private(set) var indications: UInt64 = 0
    /// Frames that this one refers to, counted back by frame number; the first `referenceCount` count.
    package private(set) var references = InlineArray<16, UInt16>(repeating: 0)
    package private(set) var referenceCount = 0

    /// D, F and C, as bits 2...0, and the bits that follow the active targets.
    private(set) var customFlags: UInt8 = 0
    private(set) var customBits = 0..<0

    /// Reads a descriptor.
    ///
    /// - Parameters:
    ///   - bytes: the extension element's data, 3...255 bytes.
    ///   - structure: the one that the stream has now; replaced where this descriptor brings another.
    /// - Throws: `truncated`; `invalidValue` for a template that the structure doesn't have, or where there is none yet.
    package init(parsing bytes: RawSpan, structure: inout DependencyStructure?) throws(WireError) {
        guard bytes.byteCount >= 3 else { throw .truncated }
        guard bytes.byteCount <= DependencyDescriptor.maximumLength else { throw .invalidLength }
        startsFrame = bytes.byte(0) & 0x80 != 0
        endsFrame = bytes.byte(0) & 0x40 != 0
        templateID = bytes.byte(0) & 0x3f
        frameNumber = bytes.uint16(1)
        guard bytes.byteCount > 3 else {
            try take(structure)
            return
        }
        var reader = BitReader(bytes, at: 24)
        let flags = try reader.bits(5, in: bytes)
        customFlags = UInt8(flags & 7)
        if flags & 0x10 != 0 {
            let start = reader.position
            let attached = try DependencyStructure(&reader, in: bytes)
            structureBits = start..<reader.position
            activeTargets = attached.allTargets
            structure = attached
        }
        guard let structure else { throw .invalidValue }
        if flags & 0x08 != 0 { activeTargets = try reader.bits(structure.decodeTargets, in: bytes) }
        try take(structure)
        let start = reader.position
        try readCustom(&reader, bytes, structure)
        customBits = start..<reader.position
    }

    /// What a frame number and template say without a structure: how a forwarder that only renumbers reads it.
    package static func frameNumber(of bytes: RawSpan) -> UInt16? { bytes.byteCount >= 3 ? bytes.uint16(1) : nil }

    package func indication(_ target: Int) -> DependencyStructure.Indication {
        DependencyStructure.Indication(indications, target)
    }

    /// The frame brings a structure: decoding may begin with it.
    package var hasStructure: Bool { structureBits != nil }

    private mutating func take(_ structure: DependencyStructure?) throws(WireError) {
        guard let template = structure?.template(templateID) else { throw .invalidValue }
        spatialID = template.spatialID
        temporalID = template.temporalID
        indications = template.indications
        referenceCount = template.references.count
        for index in 0..<referenceCount { references[index] = template.references[index] }
    }

    private mutating func readCustom(
        _ reader: inout BitReader, _ bytes: RawSpan, _ structure: DependencyStructure
    ) throws(WireError) {
        if customFlags & 4 != 0 {
            indications = 0
            for target in 0..<structure.decodeTargets {
                indications |= UInt64(try reader.bits(2, in: bytes)) << UInt64(2 * target)
            }
        }
        if customFlags & 2 != 0 {
            referenceCount = 0
            while case let size = try reader.bits(2, in: bytes), size != 0 {
                guard referenceCount < DependencyDescriptor.maximumReferences else { throw .invalidValue }
                references[referenceCount] = UInt16(try reader.bits(4 * Int(size), in: bytes)) + 1
                referenceCount += 1
            }
        }
        if customFlags & 1 != 0 {
            for _ in 0..<structure.chainCount { _ = try reader.bits(8, in: bytes) }
        }
    }
}
