import RTCWire

/// When the frames of one track are decoded and shown, and what was shown. A value.
struct VideoPlayout {
    let release: VideoRelease
    var timing = RenderTiming()
    var rendered = RenderedFrames()
    var sync = LipSync()
    var clock = CaptureClock(clockRate: 90_000)
    /// When the latest decoded frame is shown, and how long after its capture.
    private var shown: (time: Instant, lag: Interval)?
    /// How long after its capture the latest frame is due, without what lip sync adds.
    private var due: Interval?
    /// How long after they were due all frames lately could be shown.
    private var lateness = LeastLately(span: .seconds(1))
    /// What a packet takes there and back; nil until known.
    var roundTrip: Interval?
    /// Released by the buffer, and waiting for their time.
    private var held: [AssembledVideoFrame] = []
    /// Sums over all frames: from the first packet to the decoder or the showing, and what was aimed at.
    private(set) var delaySum = Interval.zero
    private(set) var targetSum = Interval.zero
    private(set) var emitted = 0

    /// Frames that are held; more are decoded at once.
    private static let limit = 120

    init(_ release: VideoRelease) { self.release = release }

    /// Takes in a frame that the buffer has released, for it can be decoded now.
    mutating func take(_ frame: AssembledVideoFrame, ready: Instant) {
        frame.renderTime = timing.due(
            timestamp: frame.timestamp, arrival: frame.lastArrival, ready: ready, bytes: frame.bytes.count,
            isKeyFrame: frame.isKeyFrame, isRepaired: frame.isRepaired)
        due = clock.lag(of: frame.timestamp, at: frame.renderTime - timing.syncDelay)
        emitted += 1
        delaySum = delaySum + max(frame.renderTime - frame.firstArrival, .zero)
        targetSum = targetSum + timing.target
        held.append(frame)
    }

    /// A frame has been decoded.
    mutating func show(_ frame: AssembledVideoFrame, ready: Instant) {
        guard !frame.isUnseen else { return rendered.miss() }
        rendered.frame(due: frame.renderTime, ready: ready)
        let time = max(frame.renderTime, ready)
        shown = clock.lag(of: frame.timestamp, at: time).map { (time, $0) }
        lateness.note(time - frame.renderTime, at: time)
    }

    /// Takes in how long after its capture the sender's sound is played.
    /// - Returns: whether sound has to wait another time than before.
    mutating func synchronize(with sound: SoundLag, at now: Instant) -> Bool {
        guard let shown, let due, now - shown.time < Self.fresh,
            sync.note(skew: shown.lag - sound.present, pictures: due + (lateness.value ?? .zero), sound: sound)
        else { return false }
        timing.syncDelay = sync.videoDelay
        return true
    }

    /// A picture that has stood for longer says nothing of the delay.
    private static let fresh = Interval.seconds(1)

    /// The next frame to be decoded; nil where none is now.
    mutating func next(at now: Instant) -> AssembledVideoFrame? {
        guard let first = held.first, release == .decoded || held.count > Self.limit || start(of: first) <= now
        else { return nil }
        let frame = held.removeFirst()
        frame.isUnseen = release == .rendered && isOutrun(frame, at: now)
        return frame
    }

    /// Whether the next frame is shown at the same moment: behind a repetition many are overdue at once.
    private func isOutrun(_ frame: AssembledVideoFrame, at now: Instant) -> Bool {
        guard let next = held.first else { return false }
        return max(next.renderTime, now) - max(frame.renderTime, now) < RenderedFrames.moment
    }

    /// When `next` is to be asked again.
    var nextDeadline: Instant { held.first.map { start(of: $0) } ?? .distantFuture }

    /// When decoding begins, so that the frame is there in time.
    private func start(of frame: AssembledVideoFrame) -> Instant { frame.renderTime - timing.decodingLead }
}

extension VideoPlayout {
    func count(_ shown: RenderedFrames, into statistics: inout ReceiverStatistics) {
        statistics.rendering.framesRendered = shown.count
        statistics.rendering.framesMissed = shown.dropped
        statistics.rendering.totalInterFrameDelay = shown.intervals
        statistics.rendering.totalSquaredInterFrameDelay = shown.squaredIntervals
        statistics.rendering.pauseCount = shown.pauses
        statistics.rendering.totalPausesDuration = shown.paused.seconds
        statistics.rendering.jitterBufferDelay = delaySum.seconds
        statistics.rendering.jitterBufferTargetDelay = targetSum.seconds
        statistics.rendering.jitterBufferEmittedCount = emitted
        statistics.lipSync = LipSyncStatistics(sync.skews)
        statistics.playoutDelayMilliseconds = timing.currentDelay.milliseconds
    }
}

/// When pictures are given to sinks.
public enum VideoRelease: String, Sendable, Hashable, CaseIterable {
    /// As soon as they can be decoded: for whoever measures, records or computes. Each says when it is to be shown
    /// (`VideoFrame.renderTime`), and freezes are counted as if it were shown then.
    case decoded
    /// When they are to be shown, as evenly as they were captured: for whoever puts them on a display as they come. Of those that
    /// are overdue together only the last is given out, for nobody would see the others.
    case rendered
}
