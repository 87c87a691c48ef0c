import CJPEG

/// Baseline JPEG by libjpeg-turbo. One at a time: it is not for several threads.
final class JPEGCodec {
    private let compressor: tjhandle?
    private let decompressor: tjhandle?

    init() {
        compressor = tjInitCompress()
        decompressor = tjInitDecompress()
    }

    deinit {
        if let compressor { tjDestroy(compressor) }
        if let decompressor { tjDestroy(decompressor) }
    }

    /// Nil where the library refuses.
    ///
    /// - Parameter rgb: three bytes a pixel.
    func encode(_ rgb: [UInt8], width: Int, height: Int, quality: Int) -> [UInt8]? {
        guard let compressor, rgb.count == width * height * 3 else { return nil }
        // Coloured text needs its colours at full resolution, and what is sent as a stopgap does not.
        let sampling = quality >= 70 ? TJSAMP_444 : TJSAMP_420
        var out: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { if let out { tjFree(out) } }
        let status = tjCompress2(
            compressor, rgb, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &out, &count,
            Int32(sampling.rawValue), Int32(quality), 0)
        guard status == 0, let out else { return nil }
        return Array(UnsafeBufferPointer(start: out, count: Int(count)))
    }

    /// Three bytes a pixel. Nil where it is no picture of that size, or broken.
    func decode(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
        guard let decompressor else { return nil }
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        // A picture that ends too soon is an error, not a grey area.
        let status = tjDecompress2(
            decompressor, bytes, UInt(bytes.count), &pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue),
            TJFLAG_STOPONWARNING)
        return status == 0 ? pixels : nil
    }
}
