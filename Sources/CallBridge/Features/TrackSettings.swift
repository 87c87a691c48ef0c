/// What we want to receive of a remote video track. Nothing said means: the best there is.
public struct TrackSettings: Sendable, Hashable {
    /// A layer of a track that is sent in several sizes.
    public enum Quality: String, Sendable, Hashable, Codable, CaseIterable {
        /// The smallest.
        case low
        /// The middle one.
        case medium
        /// The full size.
        case high
    }

    /// The largest layer that we want. Not used where a size is given.
    public var quality: Quality?
    /// The size at which it is shown, in pixels: the smallest layer that covers it is sent.
    public var size: VideoViewSize?
    /// Most pictures a second; nil for all.
    public var framesPerSecond: Int?
    /// True for no media at all for now; the subscription stays.
    public var isDisabled: Bool

    /// Settings from their parts.
    public init(
        quality: Quality? = nil, size: VideoViewSize? = nil, framesPerSecond: Int? = nil, isDisabled: Bool = false
    ) {
        self.quality = quality
        self.size = size
        self.framesPerSecond = framesPerSecond
        self.isDisabled = isDisabled
    }
}

/// The size of a view that shows video, in pixels of the screen.
public struct VideoViewSize: Sendable, Hashable {
    /// Pixels, at least 1.
    public var width: Int
    /// Pixels, at least 1.
    public var height: Int

    /// A size of `width` x `height` pixels; less than 1 counts as 1, more than 65,535 as 65,535.
    public init(width: Int, height: Int) {
        self.width = max(1, min(width, 65_535))
        self.height = max(1, min(height, 65_535))
    }

    /// Smaller in area.
    package func isSmaller(than other: VideoViewSize) -> Bool { width * height < other.width * other.height }
}

/// Where a remote video track is shown.
public enum VideoLayout: Sendable, Hashable {
    /// Nowhere: with adaptive streaming nothing is sent.
    case hidden
    /// In views of which this is the largest.
    case visible(VideoViewSize)
}
