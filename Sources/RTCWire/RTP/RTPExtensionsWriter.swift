// Writing an extension block (RFC 8285): the one-byte form where every element fits it, else the two-byte form where
// the session allows mixing. What fits neither is left out, as a receiver couldn't have been told about it.

extension RTPExtensions {
    /// No block that is written is longer, in bytes, but for the data of opaque elements.
    package static let maximumLength = 4 + 14 * 2 + 3 * ShortToken.capacity + 1 + 3 + 2 + 16 + 3 + 1 + 3 + 1 + 3

    /// Length of the block in bytes, its four-byte head and padding included; 0 where nothing is to be written.
    package func encodedLength(map: RTPExtensionMap, opaque: RTPOpaqueElements = RTPOpaqueElements()) -> Int {
        var writer = RTPElementWriter(buffer: nil, map: map, twoByte: needsTwoByteForm(map, opaque))
        writeElements(&writer, opaque)
        return writer.blockLength
    }

    /// Writes the block and gives its length; 0, writing nothing, where there is none or `buffer` is too small.
    package func write(
        into buffer: UnsafeMutableRawBufferPointer, map: RTPExtensionMap,
        opaque: RTPOpaqueElements = RTPOpaqueElements()
    ) -> Int {
        if buffer.count < RTPExtensions.maximumLength + opaque.count,
            buffer.count < encodedLength(map: map, opaque: opaque)
        {
            return 0
        }
        let twoByte = needsTwoByteForm(map, opaque)
        var writer = RTPElementWriter(buffer: buffer, map: map, twoByte: twoByte)
        writeElements(&writer, opaque)
        let length = writer.blockLength
        guard length != 0 else { return 0 }
        buffer.store(twoByte ? RTPExtensions.twoByteProfile : RTPExtensions.oneByteProfile, at: 0)
        buffer.store(UInt16(truncatingIfNeeded: (length - 4) / 4), at: 2)
        for offset in writer.offset..<length { buffer[offset] = 0 }
        return length
    }

    /// Some value has an identifier or a length beyond the one-byte form, and the session allows the other form.
    private func needsTwoByteForm(_ map: RTPExtensionMap, _ opaque: RTPOpaqueElements) -> Bool {
        guard map.allowsMixed, map.hasLongIdentifiers || opaque.needsTwoByteForm else { return false }
        var all = RTPElementWriter(buffer: nil, map: map, twoByte: true)
        var small = RTPElementWriter(buffer: nil, map: map, twoByte: false)
        writeElements(&all, opaque)
        writeElements(&small, opaque)
        return all.count != small.count
    }

    /// Offers every value to `writer`, in the order of `RTPExtensionKind`.
    @inline(__always)
    private func writeElements(_ writer: inout RTPElementWriter, _ opaque: RTPOpaqueElements) {
        if let mid { writer.put(.mid, mid) }
        if let rid { writer.put(.rid, rid) }
        if let repairedRid { writer.put(.repairedRid, repairedRid) }
        if let audioLevel { writer.put(.audioLevel, 1) { $0[$1] = audioLevel.octet } }
        if let absSendTime { writer.put(.absSendTime, 3) { $0.store24(absSendTime, at: $1) } }
        if let transportSequenceNumber {
            writer.put(.transportSequenceNumber, 2) { $0.store(transportSequenceNumber, at: $1) }
        }
        if let absCaptureTime {
            let clock = absCaptureTime.clockOffset
            writer.put(.absCaptureTime, clock == nil ? 8 : 16) {
                $0.store(absCaptureTime.ntp, at: $1)
                if let clock { $0.store(UInt64(bitPattern: clock), at: $1 + 8) }
            }
        }
        if let playoutDelay { writer.put(.playoutDelay, 3) { $0.store24(playoutDelay.packed, at: $1) } }
        if let videoOrientation { writer.put(.videoOrientation, 1) { $0[$1] = videoOrientation } }
        if let transmissionOffset {
            writer.put(.transmissionOffset, 3) { $0.store24(UInt32(bitPattern: transmissionOffset), at: $1) }
        }
        if let videoContentType { writer.put(.videoContentType, 1) { $0[$1] = videoContentType } }
        writer.put(.dependencyDescriptor, opaque.dependencyDescriptor)
        writer.put(.colorSpace, opaque.colorSpace)
        writer.put(.videoTiming, opaque.videoTiming)
    }
}

/// Puts elements behind one another, or only counts them where there is no buffer.
private struct RTPElementWriter {
    let buffer: UnsafeMutableRawBufferPointer?
    let map: RTPExtensionMap
    let twoByte: Bool
    /// Where the next element goes; the first stands behind the block's head.
    var offset = 4
    var count = 0

    init(buffer: UnsafeMutableRawBufferPointer?, map: RTPExtensionMap, twoByte: Bool) {
        self.buffer = buffer
        self.map = map
        self.twoByte = twoByte
    }

    /// Length of the block with its padding, 0 where there is no element.
    var blockLength: Int { count == 0 ? 0 : (offset + 3) & ~3 }

    @inline(__always)
    mutating func put(_ kind: RTPExtensionKind, _ token: ShortToken) {
        put(kind, token.count) { token.write(into: $0, at: $1) }
    }

    /// An element's data as it came; nothing where it is empty, or doesn't fit the form.
    @inline(__always)
    mutating func put(_ kind: RTPExtensionKind, _ data: UnsafeRawBufferPointer) {
        guard !data.isEmpty, data.count <= (twoByte ? 255 : 16) else { return }
        put(kind, data.count) { $0.suffix(from: $1).copyMemory(from: data) }
    }

    /// One element of `length` bytes, written by `body` at the offset it is given.
    @inline(__always)
    mutating func put(
        _ kind: RTPExtensionKind, _ length: Int, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void
    ) {
        let id = map.id(for: kind)
        guard id != 0, twoByte || id <= 14 else { return }
        let start = offset + (twoByte ? 2 : 1)
        if let buffer {
            if twoByte {
                buffer[offset] = id
                buffer[offset + 1] = UInt8(truncatingIfNeeded: length)
            } else {
                buffer[offset] = id << 4 | UInt8(truncatingIfNeeded: length - 1)
            }
            body(buffer, start)
        }
        offset = start + length
        count += 1
    }
}
