import MediaCore
import OpenTokSignalling
import Synchronization

/// Pictures as one subscriber wants them: no larger than what covers its view, and no more a second than it asks for.
final class WishedPictures: VideoSource {
    private struct State {
        var wish = RaptorSubscriberPreferences()
        /// Parts of a picture that are due.
        var credit = 1.0
        let scaler = VideoScaler()
    }

    private let source: any VideoSource
    private let state = Mutex(State())

    init(_ source: any VideoSource) { self.source = source }

    var width: Int { source.width }
    var height: Int { source.height }
    var frameRate: Double { source.frameRate }

    func follow(_ wish: RaptorSubscriberPreferences) { state.withLock { $0.wish = wish } }

    /// Nil for a picture too many, too: its time goes by, and nothing is sent.
    func nextFrame(at time: MediaTime) -> VideoFrame? {
        guard let frame = source.nextFrame(at: time) else { return nil }
        return state.withLock { state in
            state.credit += min(1, state.wish.framesPerSecond / max(1, source.frameRate))
            guard state.credit >= 1 else { return nil }
            state.credit -= 1
            let size = state.wish.size(covering: frame.width, frame.height)
            return state.scaler.scale(frame, width: size.width, height: size.height)
        }
    }
}

extension RaptorSubscriberPreferences {
    /// Infinite where any rate will do.
    var framesPerSecond: Double {
        let rate = restrictsFrameRate == true ? 1 : preferredFrameRate ?? .infinity
        return rate > 0 ? rate : .infinity
    }

    /// The smallest of a picture's halves that covers what is wanted, as layers of a routed stream have it; the picture's
    /// own size where nothing is said.
    func size(covering width: Int, _ height: Int) -> (width: Int, height: Int) {
        var size = (width: width, height: height)
        guard preferredWidth ?? 0 > 0 || preferredHeight ?? 0 > 0 else { return size }
        for _ in 0..<2 {
            let half = (width: size.width / 4 * 2, height: size.height / 4 * 2)
            guard half.width >= max(16, preferredWidth ?? 0), half.height >= max(16, preferredHeight ?? 0) else {
                break
            }
            size = half
        }
        return size
    }

    /// Takes up what is said.
    mutating func merge(_ other: RaptorSubscriberPreferences) {
        isActive = other.isActive ?? isActive
        restrictsFrameRate = other.restrictsFrameRate ?? restrictsFrameRate
        preferredWidth = other.preferredWidth ?? preferredWidth
        preferredHeight = other.preferredHeight ?? preferredHeight
        preferredFrameRate = other.preferredFrameRate ?? preferredFrameRate
    }
}
