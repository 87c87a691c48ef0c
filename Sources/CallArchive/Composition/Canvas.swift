import MediaCore

/// Draws the pictures of a moment into one, by a layout.
final class Canvas {
    private let width: Int, height: Int
    private let pool = VideoBufferPool(capacity: 3)

    init(width: Int, height: Int) {
        self.width = width & ~1
        self.height = height & ~1
    }

    /// - Parameter pictures: by stream.
    func draw(_ tiles: [LayoutTile], _ pictures: [String: VideoFrame], at time: Int64) -> VideoFrame {
        let buffer = pool.acquire(width: width, height: height)
        buffer.planes.fill(y: 16, u: 128, v: 128)
        for tile in tiles {
            guard let picture = pictures[tile.stream], tile.x + tile.width <= width, tile.y + tile.height <= height
            else { continue }
            let place = buffer.planes.part(x: tile.x, y: tile.y, width: tile.width, height: tile.height)
            picture.withPlanes { VideoScaler.scale($0, to: place) }
        }
        return VideoFrame(buffer: buffer, captureTime: MediaTime(nanoseconds: time * 1_000_000))
    }
}
