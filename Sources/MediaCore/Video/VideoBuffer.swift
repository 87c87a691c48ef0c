import Synchronization

/// The memory of one I420 picture: one aligned block holding Y, U and V.
///
/// Written only by the producer that has just acquired it, before anybody else can see it; read-only afterwards.
package final class VideoBuffer: @unchecked Sendable {
    package let planes: MutableI420Planes
    private let memory: UnsafeMutableRawBufferPointer

    /// Sides are held to 1...16,384.
    package init(width: Int, height: Int) {
        let width = Self.side(width)
        let height = Self.side(height)
        let yStride = (width + 63) & ~63
        let uvStride = ((width + 1) / 2 + 31) & ~31
        let luma = yStride * height
        let chroma = uvStride * ((height + 1) / 2)
        memory = .allocate(byteCount: luma + 2 * chroma, alignment: 64)
        let base = memory.bindMemory(to: UInt8.self).baseAddress.unsafelyUnwrapped
        planes = MutableI420Planes(
            y: base, u: base + luma, v: base + luma + chroma,
            yStride: yStride, uvStride: uvStride, width: width, height: height)
    }

    deinit { memory.deallocate() }

    /// A picture side as the buffer stores it.
    package static func side(_ length: Int) -> Int { min(max(length, 1), 16_384) }
}

/// Recycles picture buffers: one is free again as soon as nobody but the pool refers to it.
package final class VideoBufferPool: Sendable {
    private let buffers = Mutex<[VideoBuffer]>([])
    private let capacity: Int

    /// - Parameter capacity: buffers kept; when all are in use, further ones are allocated and not kept.
    package init(capacity: Int = 16) { self.capacity = capacity }

    /// A buffer of that size with undefined content.
    package func acquire(width: Int, height: Int) -> VideoBuffer {
        let width = VideoBuffer.side(width)
        let height = VideoBuffer.side(height)
        return buffers.withLock { buffers in
            if let buffer = Self.free(in: &buffers, width: width, height: height) { return buffer }
            let fresh = VideoBuffer(width: width, height: height)
            if buffers.count >= capacity { Self.dropOtherSizes(in: &buffers, width: width, height: height) }
            if buffers.count < capacity { buffers.append(fresh) }
            return fresh
        }
    }

    private static func free(in buffers: inout [VideoBuffer], width: Int, height: Int) -> VideoBuffer? {
        for index in buffers.indices {
            let planes = buffers[index].planes
            guard planes.width == width, planes.height == height else { continue }
            if isKnownUniquelyReferenced(&buffers[index]) { return buffers[index] }
        }
        return nil
    }

    private static func dropOtherSizes(in buffers: inout [VideoBuffer], width: Int, height: Int) {
        buffers.removeAll { $0.planes.width != width || $0.planes.height != height }
    }
}
