import RTCWire

/// What of a stream was shown, and when: frames, freezes, pauses and intervals as W3C webrtc-stats counts them, at the
/// moment of rendering. A value; it needs no timer, because each frame says when it is due.
///
/// A frame is shown when it is decoded and due. Where the next one is shown at the same moment, nobody sees it.
package struct RenderedFrames: Sendable {
    /// Frames that were shown.
    package private(set) var count = 0
    /// Frames that were decoded too late to be shown.
    package private(set) var dropped = 0
    /// Intervals between shown frames, s and s squared: `totalInterFrameDelay`, `totalSquaredInterFrameDelay`.
    package private(set) var intervals = 0.0
    package private(set) var squaredIntervals = 0.0
    /// Times without a frame for more than five seconds.
    package private(set) var pauses = 0
    package private(set) var paused = Interval.zero
    package private(set) var freezes = FreezeDetector()
    /// When the latest frame was shown.
    package private(set) var last: Instant?
    /// Decoded, and not known yet whether it was shown.
    private var waiting: Instant?

    /// Frames of one moment are one picture on a display.
    static let moment = Interval.milliseconds(1)
    private static let pause = Interval.seconds(5)

    package init() {}

    /// Takes in a decoded frame.
    ///
    /// - Parameters:
    ///   - due: when it is to be shown.
    ///   - ready: when it was decoded.
    package mutating func frame(due: Instant, ready: Instant) {
        let shown = max(due, ready, last ?? ready)
        if let waiting {
            if shown - waiting < Self.moment { dropped += 1 } else { show(at: waiting) }
        }
        waiting = max(shown, waiting ?? shown)
    }

    /// Takes in a frame that was decoded and not shown, for the next one is due at the same moment.
    package mutating func miss() { dropped += 1 }

    /// The sender is known to have stopped: the interval to its next frame is none.
    package mutating func expectPause() {
        if let waiting { show(at: waiting) }
        waiting = nil
        freezes.pause()
        last = nil
    }

    /// Counts what has been shown by `now`.
    package mutating func settle(at now: Instant) {
        guard let shown = waiting, shown <= now else { return }
        waiting = nil
        show(at: shown)
    }

    private mutating func show(at time: Instant) {
        count += 1
        freezes.frame(at: time)
        defer { last = time }
        guard let last else { return }
        let interval = max(time - last, .zero)
        intervals += interval.seconds
        squaredIntervals += interval.seconds * interval.seconds
        guard interval > Self.pause else { return }
        pauses += 1
        paused = paused + interval
    }

    /// What counts at `now`.
    package func settled(at now: Instant) -> RenderedFrames {
        var copy = self
        copy.settle(at: now)
        return copy
    }
}
