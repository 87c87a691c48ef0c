/// What of a video track was shown, by the names and definitions of W3C webrtc-stats (`RTCInboundRtpStreamStats`); times in
/// seconds. Frames count at the moment at which they are to be shown, even where a sink gets them earlier.
public struct RenderStatistics: Sendable, Hashable {
    /// Frames that were shown.
    public var framesRendered = 0
    /// Decoded frames that a later one replaced before they could be shown: W3C counts them among `framesDropped`.
    public var framesMissed = 0
    /// Decoded frames that need no other.
    public var keyFramesDecoded = 0
    /// Sum of the intervals between frames shown.
    public var totalInterFrameDelay = 0.0
    /// Sum of their squares.
    public var totalSquaredInterFrameDelay = 0.0
    /// Times without a frame for more than five seconds.
    public var pauseCount = 0
    /// Their sum.
    public var totalPausesDuration = 0.0
    /// Sum of the times from the arrival of a frame's first packet to its showing.
    public var jitterBufferDelay = 0.0
    /// Sum of the delays aimed at, once for each frame.
    public var jitterBufferTargetDelay = 0.0
    /// Frames in both sums.
    public var jitterBufferEmittedCount = 0
    /// Time spent decoding.
    public var totalDecodeTime = 0.0

    /// Nothing counted.
    public init() {}

    mutating func add(_ other: RenderStatistics) {
        framesRendered += other.framesRendered
        framesMissed += other.framesMissed
        keyFramesDecoded += other.keyFramesDecoded
        totalInterFrameDelay += other.totalInterFrameDelay
        totalSquaredInterFrameDelay += other.totalSquaredInterFrameDelay
        pauseCount += other.pauseCount
        totalPausesDuration += other.totalPausesDuration
        jitterBufferDelay += other.jitterBufferDelay
        jitterBufferTargetDelay += other.jitterBufferTargetDelay
        jitterBufferEmittedCount += other.jitterBufferEmittedCount
        totalDecodeTime += other.totalDecodeTime
    }
}
