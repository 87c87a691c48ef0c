import CWebP

/// WebP by libwebp.
enum WebPCodec {
    /// Nil where the library refuses.
    static func encode(_ rgb: [UInt8], width: Int, height: Int, quality: Int) -> [UInt8]? {
        guard rgb.count == width * height * 3 else { return nil }
        var out: UnsafeMutablePointer<UInt8>?
        let count = cwebp_write_rgb(rgb, Int32(width), Int32(height), Float(quality), 2, &out)
        defer { if let out { WebPFree(out) } }
        guard count > 0, let out else { return nil }
        return Array(UnsafeBufferPointer(start: out, count: count))
    }

    /// Three bytes a pixel. Nil where it is no picture of that size, or broken.
    static func decode(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
        var (seenWidth, seenHeight): (Int32, Int32) = (0, 0)
        guard WebPGetInfo(bytes, bytes.count, &seenWidth, &seenHeight) != 0, seenWidth == width, seenHeight == height
        else { return nil }
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        let capacity = pixels.count
        return WebPDecodeRGBInto(bytes, bytes.count, &pixels, capacity, Int32(width * 3)) == nil ? nil : pixels
    }
}
