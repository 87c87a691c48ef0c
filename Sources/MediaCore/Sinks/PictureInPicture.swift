import Synchronization

/// Draws what a small window shows: somebody's picture, fitted in with black bars, or an avatar; at a fixed size.
///
/// Attach it as a sink to the track that is shown; read ``current`` whenever a picture is due.
public final class PictureInPicture: VideoSink {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    private let state: Mutex<State>

    private struct State {
        var picture: VideoFrame
        var isVideo = false
    }

    /// A window that is black until something is shown; sides are held to 16...4,096 and made even.
    public init(width: Int = 320, height: Int = 180) {
        self.width = min(max(width, 16), 4_096) & ~1
        self.height = min(max(height, 16), 4_096) & ~1
        state = Mutex(State(picture: VideoFrame(black: self.width, by: self.height)))
    }

    /// What the window shows now.
    public var current: VideoFrame { state.withLock { $0.picture } }

    /// Shows an avatar; the same `identity` always has the same colour. Pictures that still arrive are ignored until
    /// ``showVideo()``.
    public func showAvatar(of identity: String) {
        let avatar = AvatarPicture.draw(identity, width: width, height: height)
        state.withLock { state in
            state.isVideo = false
            state.picture = avatar
        }
    }

    /// Shows nothing but black.
    public func showNothing() {
        let black = VideoFrame(black: width, by: height)
        state.withLock { state in
            state.isVideo = false
            state.picture = black
        }
    }

    /// Shows the pictures that arrive from now on; until the first one, what was shown before stays.
    public func showVideo() { state.withLock { $0.isVideo = true } }

    /// Takes a picture of the track shown.
    public func receive(_ frame: VideoFrame) {
        guard state.withLock({ $0.isVideo }) else { return }
        let fitted = fit(frame)
        state.withLock { if $0.isVideo { $0.picture = fitted } }
    }

    /// The whole picture, as large as the window allows.
    private func fit(_ frame: VideoFrame) -> VideoFrame {
        let result = VideoFrame(black: width, by: height, captureTime: frame.captureTime)
        let scale = min(Double(width) / Double(frame.width), Double(height) / Double(frame.height))
        let fittedWidth = min(width, max(2, Int(Double(frame.width) * scale) & ~1))
        let fittedHeight = min(height, max(2, Int(Double(frame.height) * scale) & ~1))
        let part = result.buffer.planes.part(
            x: (width - fittedWidth) / 2 & ~1, y: (height - fittedHeight) / 2 & ~1, width: fittedWidth,
            height: fittedHeight)
        frame.withPlanes { VideoScaler.scale($0, to: part) }
        return result
    }
}
