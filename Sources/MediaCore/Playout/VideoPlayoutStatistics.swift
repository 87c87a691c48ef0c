import RTCWire

/// What a video frame buffer has done so far.
package struct VideoPlayoutStatistics: Hashable, Sendable {
    /// Packets handed in, whatever became of them; those without payload included.
    package var packetsReceived = 0
    package var packetsDuplicated = 0
    /// Packets of frames that had been released or given up.
    package var packetsLate = 0
    /// Packets that can't be VP8, and those beyond the size limit of a frame.
    package var packetsUnreadable = 0
    /// Frames of which every packet came.
    package var framesReceived = 0
    /// Frames given to the decoder.
    package var framesReleased = 0
    package var keyFramesReleased = 0
    /// Frames given up after the first key frame: packets missing, or a frame they refer to.
    package var framesDropped = 0
    /// Frames before the first key frame, which nobody could have decoded.
    package var framesBeforeKeyFrame = 0
    /// How often a key frame was asked for.
    package var keyFrameRequests = 0
    /// Frames that waited for a packet that came late or again, and came whole in the end.
    package var framesRepaired = 0
    /// The sender's sequence or SSRC began anew.
    package var resets = 0
    /// When the first packet came.
    package var firstPacket: Instant?
    /// When the first frame was released.
    package var firstFrame: Instant?

    package init() {}
}

/// Bounds of a video frame buffer.
package struct VideoPlayoutConfiguration: Hashable, Sendable {
    /// Whether lost packets are sent again on request; without that, waiting is for reordered packets only.
    package var retransmission = true
    /// After waiting this long for a missing packet, a key frame is asked for; the wait goes on meanwhile.
    package var keyFrameRequestDelay = Interval.milliseconds(500)
    /// The same without retransmission.
    package var reorderDelay = Interval.milliseconds(50)
    /// The same before the first key frame.
    package var firstKeyFrameDelay = Interval.milliseconds(200)
    /// Between two requests for a key frame.
    package var keyFrameRequestInterval = Interval.milliseconds(500)
    /// After this long a whole key frame is preferred to the frames missing before it, and frames of a higher temporal
    /// layer are no longer waited for.
    package var skipDelay = Interval.milliseconds(200)
    /// Frames that may wait; more than that are given up.
    package var maximumFrames = 90
    /// Larger frames are given up, bytes.
    package var maximumFrameBytes = 2 * 1_024 * 1_024
    /// Larger payloads altogether are given up, bytes.
    package var maximumBytes = 8 * 1_024 * 1_024

    package init() {}
}
