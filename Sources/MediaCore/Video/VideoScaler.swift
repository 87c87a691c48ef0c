import CYUV

/// Scales pictures with libyuv's box filter. Has one owner at a time; its buffers are recycled.
package final class VideoScaler {
    private let pool: VideoBufferPool

    package init(pool: VideoBufferPool = VideoBufferPool()) { self.pool = pool }

    /// A picture of the given size; the same picture when it has that size already.
    package func scale(_ frame: VideoFrame, width: Int, height: Int) -> VideoFrame {
        guard frame.width != width || frame.height != height else { return frame }
        let buffer = pool.acquire(width: width, height: height)
        frame.withPlanes { Self.scale($0, to: buffer.planes) }
        return VideoFrame(buffer: buffer, captureTime: frame.captureTime)
    }

    /// Scales one set of planes into another.
    package static func scale(_ source: I420Planes, to target: MutableI420Planes) {
        I420Scale(
            source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v, Int32(source.vStride),
            Int32(source.width), Int32(source.height),
            target.y, Int32(target.yStride), target.u, Int32(target.uvStride), target.v, Int32(target.uvStride),
            Int32(target.width), Int32(target.height), kFilterBox)
    }
}
