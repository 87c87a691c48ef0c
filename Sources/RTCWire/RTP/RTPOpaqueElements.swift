/// Where an extension element's data stands in the packet that it was read from.
package struct RTPElementPlace: Hashable, Sendable {
    package let offset: UInt16
    /// In bytes; 0 where there is no such element.
    package let length: UInt8

    package init() { (offset, length) = (0, 0) }

    init(_ data: Range<Int>) {
        let fits = data.upperBound <= Int(UInt16.max) && data.count <= Int(UInt8.max)
        offset = fits ? UInt16(data.lowerBound) : 0
        length = fits ? UInt8(data.count) : 0
    }

    /// The data in `packet`; empty where there is none.
    package func data(in packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let end = Int(offset) + Int(length)
        guard length > 0, end <= packet.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: packet[Int(offset)..<end])
    }
}

/// Extension elements that are passed on as they are, or nearly: their data, valid for the duration of a call.
package struct RTPOpaqueElements: @unchecked Sendable {
    /// At most 255 bytes.
    package var dependencyDescriptor = RTPOpaqueElements.none
    /// 4 bytes, or 28 with HDR metadata.
    package var colorSpace = RTPOpaqueElements.none
    /// 13 bytes.
    package var videoTiming = RTPOpaqueElements.none

    package static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    package init() {}

    /// The elements of a packet that `extensions` was read from.
    package init(_ extensions: RTPExtensions, in packet: UnsafeRawBufferPointer) {
        dependencyDescriptor = extensions.dependencyDescriptor.data(in: packet)
        colorSpace = extensions.colorSpace.data(in: packet)
        videoTiming = extensions.videoTiming.data(in: packet)
    }

    /// Length of all data in bytes.
    package var count: Int { dependencyDescriptor.count + colorSpace.count + videoTiming.count }

    /// Some element is too long for the one-byte form.
    var needsTwoByteForm: Bool { dependencyDescriptor.count > 16 || colorSpace.count > 16 || videoTiming.count > 16 }
}
