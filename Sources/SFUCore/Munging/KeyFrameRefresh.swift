import RTCWire

/// Asks once more for key frames of a stream that has just begun and is encrypted end to end.
///
/// Receivers make ready to decrypt while the first pictures come. A frame that comes at the moment when they are ready vanishes
/// between their network and their decoder, where nobody misses it: browsers ask for a key frame only after 3 s without a
/// picture. The server can't see it happen, so each such stream has more key frames soon, unless some come anyway.
struct KeyFrameRefresh {
    /// When they are due, counted from the first key frame. Most receivers are ready at once, those that have much to do may
    /// take longer. Whoever is ready before the last one stands still for 0.9 s at most.
    static let delays = [Interval.milliseconds(600), .milliseconds(1500)]
    /// A key frame that comes so much earlier than due is as good.
    static let tolerance = Interval.milliseconds(300)

    private var begun: Instant?
    private var due = 0

    mutating func begin(_ now: Instant) {
        begun = now
        due = 0
    }

    /// A key frame is sent on.
    mutating func noteKeyFrame(_ now: Instant) { pass(now, KeyFrameRefresh.tolerance) }

    /// Whether to ask now; true once for each that is due.
    mutating func isDue(_ now: Instant) -> Bool { pass(now, .zero) }

    /// Goes on to the next one. False where none is due.
    @discardableResult private mutating func pass(_ now: Instant, _ tolerance: Interval) -> Bool {
        guard let begun, now - begun >= KeyFrameRefresh.delays[due] - tolerance else { return false }
        due += 1
        if due == KeyFrameRefresh.delays.count { self.begun = nil }
        return true
    }
}
