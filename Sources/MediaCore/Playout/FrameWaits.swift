import RTCWire

/// How long a video frame buffer waits for what is missing, by the way that packets take. A value.
package struct FrameWaits: Hashable, Sendable {
    /// After waiting this long for a missing packet, a key frame is asked for.
    package private(set) var keyFrameRequest: Interval
    /// After this long, frames that nothing refers to are no longer waited for.
    package private(set) var skip: Interval

    private let configuration: VideoPlayoutConfiguration
    private static let longest = Interval.milliseconds(1_500)
    private static let leastSkip = Interval.milliseconds(40)

    package init(_ configuration: VideoPlayoutConfiguration) {
        self.configuration = configuration
        keyFrameRequest = configuration.keyFrameRequestDelay
        skip = configuration.skipDelay
    }

    /// A packet is sent again three times before a key frame costs less; and what comes after its showing and the first answer to a
    /// request is of no use, unless others refer to it.
    ///
    /// - Parameters:
    ///   - roundTrip: nil until known.
    ///   - playoutDelay: between a frame's earliest arrival and its showing.
    package mutating func adapt(roundTrip: Interval?, playoutDelay: Interval) {
        let repairs = roundTrip.map { $0 * 4 + .milliseconds(200) } ?? .zero
        keyFrameRequest = max(configuration.keyFrameRequestDelay, min(repairs, Self.longest))
        skip = min(configuration.skipDelay, max(playoutDelay, (roundTrip ?? .zero) + Self.leastSkip))
    }
}
