/// What precedes each frame of a raw pipe, big-endian:
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +---------------+---------------+---------------+---------------+
///     |      'C'      |      'B'      |      'R'      |  version = 1  |
///     +---------------+---------------+---------------+---------------+
///     |             width             |            height             |
///     +---------------+---------------+-------------------------------+
///     | pixel format  |  views, 0-64  |       reserved, 0             |
///     +---------------+---------------+-------------------------------+
///
/// Then each view: the length of its tag (1 byte, 1 to 64), the tag in UTF-8, and x, y, width and height, 16 bits each. Then
/// the pixels, row after row: format 1 is RGB (3 bytes a pixel), 2 RGBA, 3 BGRA (4 bytes; alpha is left).
package struct RawFrameHeader: Sendable, Hashable {
    package enum PixelFormat: UInt8, Sendable, CaseIterable {
        case rgb = 1
        case rgba = 2
        case bgra = 3

        var bytes: Int { self == .rgb ? 3 : 4 }
    }

    package static let length = 12
    package static let viewBytes = 8
    static let views = 64
    static let tagBytes = 64

    package var size: FrameSize
    package var format: PixelFormat
    package var views: Int

    package init(size: FrameSize, format: PixelFormat, views: Int = 0) {
        self.size = size
        self.format = format
        self.views = views
    }

    package init(parsing bytes: [UInt8]) throws(CoBrowsingWireError) {
        var reader = WireReader(bytes)
        guard try reader.word() == 0x4342_5201 else {
            throw CoBrowsingWireError("a frame begins with CBR and the version 1")
        }
        let (width, height) = (try reader.short(), try reader.short())
        guard let size = FrameSize(width: width, height: height) else {
            throw CoBrowsingWireError("a frame of \(width)x\(height); a side has 1 to 4096 pixels")
        }
        let (number, views) = (try reader.byte(), Int(try reader.byte()))
        guard let format = PixelFormat(rawValue: number) else {
            throw CoBrowsingWireError("there is no pixel format \(number); use 1 to 3")
        }
        guard views <= Self.views, try reader.short() == 0, reader.isEmpty else {
            throw CoBrowsingWireError("a frame has at most \(Self.views) views, and reserved bytes are 0")
        }
        self.init(size: size, format: format, views: views)
    }

    package var bytes: [UInt8] {
        var out: [UInt8] = []
        out.put(word: 0x4342_5201)
        out.put(short: size.width)
        out.put(short: size.height)
        out += [format.rawValue, UInt8(clamping: views), 0, 0]
        return out
    }

    /// Bytes of the pixels.
    package var pixelBytes: Int { size.area * format.bytes }

    /// Bytes of a view whose tag has that length.
    package static func viewLength(tag: UInt8) throws(CoBrowsingWireError) -> Int {
        guard (1...tagBytes).contains(Int(tag)) else {
            throw CoBrowsingWireError("a tag of \(tag) bytes; use 1 to \(tagBytes)")
        }
        return Int(tag) + viewBytes
    }

    /// - Parameter bytes: the length of the tag, the tag, and the rectangle.
    package static func view(parsing bytes: [UInt8]) throws(CoBrowsingWireError) -> ScreenFrame.View {
        var reader = WireReader(bytes)
        let tag = try reader.text()
        let rect = PixelRect(
            x: try reader.short(), y: try reader.short(), width: try reader.short(), height: try reader.short())
        guard reader.isEmpty else { throw CoBrowsingWireError("a view is longer than it says") }
        return ScreenFrame.View(tag: tag, rect: rect)
    }

    package static func bytes(of view: ScreenFrame.View) -> [UInt8] {
        var out: [UInt8] = []
        out.put(text: view.tag)
        for number in [view.rect.x, view.rect.y, view.rect.width, view.rect.height] { out.put(short: number) }
        return out
    }

    /// The frame of these pixels. Nil where there are not as many as the header says.
    package func frame(_ pixels: [UInt8], views: [ScreenFrame.View]) -> ScreenFrame? {
        guard pixels.count == pixelBytes else { return nil }
        guard format != .rgba else { return ScreenFrame(size: size, pixels: pixels, views: views) }
        let (red, blue) = format == .bgra ? (2, 0) : (0, 2)
        let step = format.bytes
        let out = [UInt8](unsafeUninitializedCapacity: size.area * 4) { out, count in
            pixels.withUnsafeBufferPointer { pixels in
                for pixel in 0..<size.area {
                    out[pixel * 4] = pixels[pixel * step + red]
                    out[pixel * 4 + 1] = pixels[pixel * step + 1]
                    out[pixel * 4 + 2] = pixels[pixel * step + blue]
                    out[pixel * 4 + 3] = 255
                }
            }
            count = size.area * 4
        }
        return ScreenFrame(size: size, pixels: out, views: views)
    }
}
