import RTCWire

/// Asks once more for a key frame of a stream that has just begun and is encrypted end to end.
///
/// Receivers make ready to decrypt while the first pictures come. Frames that come too soon vanish between their network
/// and their decoder, where nobody misses them: browsers ask for a key frame only after 3 s without a picture. The server
/// can't see it happen, so each such stream has a second key frame a moment later, unless one has come anyway.
struct SecondKeyFrame {
    /// How long receivers take to make ready, at most.
    static let delay = Interval.milliseconds(600)
    /// A key frame that comes after so long is as good.
    static let settling = Interval.milliseconds(300)

    private var begun: Instant?

    mutating func begin(_ now: Instant) { begun = now }

    /// A key frame is sent on.
    mutating func noteKeyFrame(_ now: Instant) {
        if let begun, now - begun >= SecondKeyFrame.settling { self.begun = nil }
    }

    /// Whether to ask now; true once.
    mutating func isDue(_ now: Instant) -> Bool {
        guard let begun, now - begun >= SecondKeyFrame.delay else { return false }
        self.begun = nil
        return true
    }
}
