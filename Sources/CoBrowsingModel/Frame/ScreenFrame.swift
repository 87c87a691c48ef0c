/// What was captured: pixels, and where the views of the screen lie that have a tag.
public struct ScreenFrame: Sendable, Hashable {
    /// A part of the screen that the application gave a tag.
    public struct View: Sendable, Hashable, Codable {
        /// Several views may have one tag.
        public var tag: String
        /// Where it is, in pixels. What lies outside of the frame does not matter.
        public var rect: PixelRect

        /// A view from its parts.
        public init(tag: String, rect: PixelRect) {
            self.tag = tag
            self.rect = rect
        }
    }

    /// In pixels.
    public let size: FrameSize
    /// Four bytes a pixel: red, green, blue, and one that does not matter; row after row.
    public private(set) var pixels: [UInt8]
    /// Views with tags, at the moment of capture.
    public var views: [View]

    /// Nil where there are not four bytes for each pixel.
    public init?(size: FrameSize, pixels: [UInt8], views: [View] = []) {
        guard pixels.count == size.area * 4 else { return nil }
        self.size = size
        self.pixels = pixels
        self.views = views
    }

    /// Whether it is the same frame, in the same memory: known without looking at its pixels. Frames of equal content may
    /// differ in this.
    package func isSame(as other: ScreenFrame) -> Bool {
        size == other.size && views == other.views
            && pixels.withUnsafeBufferPointer { mine in
                other.pixels.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
            }
    }

    /// A frame of one colour.
    public init(size: FrameSize, red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) {
        self.size = size
        views = []
        pixels = []
        pixels.reserveCapacity(size.area * 4)
        for _ in 0..<size.area { pixels += [red, green, blue, 255] }
    }

    /// Paints a rectangle; what lies outside of the frame is left.
    public mutating func fill(_ rect: PixelRect, red: UInt8, green: UInt8, blue: UInt8) {
        guard let rect = rect.clipped(to: size) else { return }
        let stride = size.width * 4
        pixels.withUnsafeMutableBufferPointer { pixels in
            for y in rect.y..<rect.y + rect.height {
                for x in rect.x..<rect.x + rect.width {
                    let at = y * stride + x * 4
                    (pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]) = (red, green, blue, 255)
                }
            }
        }
    }

    /// Three bytes a pixel of a rectangle inside of the frame.
    package func rgb(_ rect: PixelRect) -> [UInt8] {
        precondition(rect.clipped(to: size) == rect, "the rectangle lies in the frame")
        let stride = size.width * 4
        return [UInt8](unsafeUninitializedCapacity: rect.area * 3) { out, count in
            pixels.withUnsafeBufferPointer { pixels in
                var to = 0
                for y in rect.y..<rect.y + rect.height {
                    var at = y * stride + rect.x * 4
                    for _ in 0..<rect.width {
                        out[to] = pixels[at]
                        out[to + 1] = pixels[at + 1]
                        out[to + 2] = pixels[at + 2]
                        to += 3
                        at += 4
                    }
                }
            }
            count = rect.area * 3
        }
    }

    /// Puts three bytes a pixel into a rectangle inside of the frame.
    package mutating func put(rgb: [UInt8], at rect: PixelRect) {
        precondition(rect.clipped(to: size) == rect && rgb.count == rect.area * 3, "the rectangle lies in the frame")
        let stride = size.width * 4
        pixels.withUnsafeMutableBufferPointer { pixels in
            rgb.withUnsafeBufferPointer { rgb in
                var from = 0
                for y in rect.y..<rect.y + rect.height {
                    var at = y * stride + rect.x * 4
                    for _ in 0..<rect.width {
                        pixels[at] = rgb[from]
                        pixels[at + 1] = rgb[from + 1]
                        pixels[at + 2] = rgb[from + 2]
                        pixels[at + 3] = 255
                        from += 3
                        at += 4
                    }
                }
            }
        }
    }
}
