/// What of the screen nobody else may see: views by their tags, and areas by rectangles.
public struct PrivacyMasks: Sendable, Hashable {
    /// A rectangle that is covered, wherever the screen scrolls.
    public struct Area: Sendable, Hashable {
        /// The application's own; one area a name.
        public var id: String
        /// Several areas may have one tag.
        public var tag: String
        /// In pixels of the frame. What lies outside of it does not matter.
        public var rect: PixelRect

        /// An area from its parts.
        public init(id: String, tag: String = "", rect: PixelRect) {
            self.id = id
            self.tag = tag
            self.rect = rect
        }
    }

    /// Tags of views that are covered.
    public private(set) var views: Set<String> = []
    private var areasByID: [String: Area] = [:]
    /// What is seen in their place: a colour.
    public var cover = Cover()

    /// What is seen in place of what is private.
    public struct Cover: Sendable, Hashable {
        /// 0 to 255.
        public var red: UInt8 = 0x60
        /// 0 to 255.
        public var green: UInt8 = 0x60
        /// 0 to 255.
        public var blue: UInt8 = 0x60

        /// Grey.
        public init() {}
    }

    /// Nothing is private.
    public init() {}

    /// Areas, in the order of their ids.
    public var areas: [Area] { areasByID.values.sorted { $0.id < $1.id } }

    /// Covers all views of a tag from the next frame on.
    public mutating func addPrivateView(_ tag: String) { views.insert(tag) }

    /// Shows the views of a tag again; false where they were not private.
    @discardableResult public mutating func removePrivateView(_ tag: String) -> Bool { views.remove(tag) != nil }

    /// Covers an area from the next frame on. One of the same id moves.
    public mutating func addPrivateArea(_ area: Area) { areasByID[area.id] = area }

    /// Shows an area again; false where there is none.
    @discardableResult public mutating func removePrivateArea(id: String) -> Bool {
        areasByID.removeValue(forKey: id) != nil
    }

    /// Shows all areas of a tag again.
    public mutating func removePrivateAreas(tag: String) { areasByID = areasByID.filter { $0.value.tag != tag } }

    /// What is covered in a frame.
    package func rects(in frame: ScreenFrame) -> [PixelRect] {
        let hidden = frame.views.filter { views.contains($0.tag) }.map(\.rect) + areasByID.values.map(\.rect)
        return hidden.compactMap { $0.clipped(to: frame.size) }
    }
}

/// A frame whose private parts are covered. Change detection and encoders take nothing else: there is no way from a frame to
/// the wire around this initialiser.
package struct MaskedFrame: Sendable {
    package let frame: ScreenFrame

    package init(_ frame: ScreenFrame, _ masks: PrivacyMasks) {
        var covered = frame
        for rect in masks.rects(in: frame) {
            covered.fill(rect, red: masks.cover.red, green: masks.cover.green, blue: masks.cover.blue)
        }
        covered.views = []
        self.frame = covered
    }

    /// A hash for each cell, by which it is seen to have changed.
    package func digest() -> FrameDigest {
        let grid = CellGrid(frame.size)
        return FrameDigest(grid: grid, hashes: (0..<grid.count).map { hash(grid.rect($0)) })
    }

    /// Each step is reversible in the word that it takes, so that two cells which differ in one pixel never have one hash.
    private func hash(_ rect: PixelRect) -> UInt64 {
        let stride = frame.size.width * 4
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        frame.pixels.withUnsafeBytes { bytes in
            for y in rect.y..<rect.y + rect.height {
                var at = y * stride + rect.x * 4
                for _ in 0..<rect.width {
                    // Without the fourth byte.
                    let pixel = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
                    hash = (hash ^ UInt64(pixel & 0x00FF_FFFF)) &* 0xD6E8_FEB8_6659_FD93
                    hash ^= hash >> 32
                    at += 4
                }
            }
        }
        return hash
    }
}
