import CPNG
internal import CoBrowsingModel

/// PNG by libpng.
enum PNGCodec {
    /// Nil where it has more than `most` bytes.
    static func encode(_ rgb: [UInt8], width: Int, height: Int, most: Int) -> [UInt8]? {
        guard rgb.count == width * height * 3 else { return nil }
        var count = most
        var isGood = false
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { out, used in
            isGood = cpng_write_rgb(rgb, UInt32(width), UInt32(height), out.baseAddress, &count) != 0 && count <= most
            used = isGood ? count : 0
        }
        return isGood ? bytes : nil
    }

    /// Three bytes a pixel. Nil where it is no picture of that size, or broken.
    static func decode(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
        // The library keeps the address of the bytes between its calls.
        bytes.withUnsafeBytes { source in
            var image = png_image()
            guard cpng_open(&image, source.baseAddress, source.count) != 0 else { return nil }
            defer { png_image_free(&image) }
            guard image.width == UInt32(width), image.height == UInt32(height) else { return nil }
            var pixels = [UInt8](repeating: 0, count: width * height * 3)
            return cpng_read_rgb(&image, &pixels) != 0 ? pixels : nil
        }
    }

    /// A file of any PNG form as a frame. Nil where it is none, broken, or larger than a frame may be.
    static func frame(_ bytes: [UInt8]) -> ScreenFrame? {
        bytes.withUnsafeBytes { source in
            var image = png_image()
            guard cpng_open(&image, source.baseAddress, source.count) != 0 else { return nil }
            defer { png_image_free(&image) }
            guard let size = FrameSize(width: Int(image.width), height: Int(image.height)) else { return nil }
            var pixels = [UInt8](repeating: 0, count: size.area * 4)
            guard cpng_read_rgba(&image, &pixels) != 0 else { return nil }
            return ScreenFrame(size: size, pixels: pixels)
        }
    }
}
