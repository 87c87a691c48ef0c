import CYUV

extension VideoFrame {
    /// Converts 32-bit pixels whose bytes lie in the order blue, green, red, alpha; alpha is ignored.
    ///
    /// - Parameters:
    ///   - pixels: `stride * height` bytes.
    ///   - stride: bytes from one row to the next; 0 for `4 * width`.
    public init(
        bgra pixels: UnsafeRawBufferPointer, width: Int, height: Int, stride: Int = 0, captureTime: MediaTime = .zero
    ) throws(MediaError) {
        let stride = stride == 0 ? 4 &* width : stride
        guard (1...16_384).contains(width), (1...16_384).contains(height), (4 * width..<1 << 20).contains(stride),
            pixels.count >= stride * (height - 1) + 4 * width, let source = pixels.baseAddress
        else {
            throw MediaError(
                .argument, "picture of \(width)x\(height)", "doesn't fit into \(pixels.count) bytes of pixels",
                remedy: "give sides of 1 to 16384 and 4 bytes a pixel")
        }
        let buffer = VideoBuffer(width: width, height: height)
        let planes = buffer.planes
        // libyuv names pixels as words: its ARGB is B, G, R, A in memory.
        ARGBToI420(
            source.assumingMemoryBound(to: UInt8.self), Int32(stride),
            planes.y, Int32(planes.yStride), planes.u, Int32(planes.uvStride), planes.v, Int32(planes.uvStride),
            Int32(width), Int32(height))
        self.init(buffer: buffer, captureTime: captureTime)
    }

    /// The picture as 32-bit pixels, bytes in the order blue, green, red, alpha (255): `4 * width * height` bytes.
    public func bgra() -> [UInt8] {
        let (width, height) = (width, height)
        return withPlanes { planes in
            [UInt8](unsafeUninitializedCapacity: 4 * width * height) { output, count in
                I420ToARGB(
                    planes.y, Int32(planes.yStride), planes.u, Int32(planes.uStride), planes.v, Int32(planes.vStride),
                    output.baseAddress, Int32(4 * width), Int32(width), Int32(height))
                count = 4 * width * height
            }
        }
    }
}
