/// What a subscriber wants of a track that it gets, whatever its connection bears.
package struct TrackPreference: Sendable, Hashable {
    /// The rank of the largest of three layers.
    package static let largestLayer = 2

    /// Nothing is to come for a while.
    package var isPaused: Bool
    /// The largest layer that is of use, a rank from 0.
    package var layerLimit: Int
    /// Frames a second; nil for all.
    package var frameRateLimit: Int?
    /// The larger, the sooner the track gets bandwidth; nil leaves it as it was.
    package var priority: Int?

    package init(
        isPaused: Bool = false, layerLimit: Int = TrackPreference.largestLayer, frameRateLimit: Int? = nil,
        priority: Int? = nil
    ) {
        self.isPaused = isPaused
        self.layerLimit = layerLimit
        self.frameRateLimit = frameRateLimit
        self.priority = priority
    }
}
