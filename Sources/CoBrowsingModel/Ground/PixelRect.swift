/// A rectangle of pixels; its origin is the frame's upper left corner.
public struct PixelRect: Sendable, Hashable, Codable {
    /// From the left.
    public var x: Int
    /// From the top.
    public var y: Int
    /// Pixels; 0 and less is nothing.
    public var width: Int
    /// Pixels; 0 and less is nothing.
    public var height: Int

    /// A rectangle from its parts, in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Pixels that it covers.
    package var area: Int { max(width, 0) * max(height, 0) }

    /// What of it lies in a frame of that size; nil where nothing does. Any numbers are fine.
    package func clipped(to size: FrameSize) -> PixelRect? {
        let (left, right) = Self.clip(x, width, size.width)
        let (top, bottom) = Self.clip(y, height, size.height)
        guard left < right, top < bottom else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    private static func clip(_ start: Int, _ length: Int, _ bound: Int) -> (Int, Int) {
        guard length > 0 else { return (0, 0) }
        let (end, overflow) = start.addingReportingOverflow(length)
        return (min(max(start, 0), bound), overflow ? bound : min(max(end, 0), bound))
    }

    /// The smallest one that covers both.
    package func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }

    package func intersects(_ other: PixelRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}

/// How large a frame is, in pixels.
public struct FrameSize: Sendable, Hashable {
    /// 1 to 4,096.
    public let width: Int
    /// 1 to 4,096.
    public let height: Int

    /// Nil where a side is not 1 to 4,096 pixels long.
    public init?(width: Int, height: Int) {
        let bound = 1...CoBrowsingBounds.longestSide
        guard bound.contains(width), bound.contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    package var area: Int { width * height }
    package var rect: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }
}

/// Bounds on what one side of a session can make the other hold or do.
package enum CoBrowsingBounds {
    /// Pixels of a frame's side.
    package static let longestSide = 4_096
    /// Pixels of a tile's side.
    package static let longestTileSide = 1_024
    /// Tiles of a frame: one for each cell of the largest.
    package static let tiles = 4_096
    /// Bytes of a tile that we make.
    package static let tileBytes = 20 * 1_024
    /// Bytes of a tile that we take.
    package static let longestTile = 32 * 1_024
    /// Bytes of a message, with its header.
    package static let longestMessage = longestTile + 32
    /// Bytes of a person's name.
    package static let nameBytes = 255
    /// Frames that a viewer holds which are not whole yet, and their bytes.
    package static let pendingFrames = 8
    package static let pendingBytes = 8 * 1_024 * 1_024
    /// Viewers that a sharer keeps account of.
    package static let viewers = 64
    /// Frames a second, whatever a server says.
    package static let rates = 1...30
}
