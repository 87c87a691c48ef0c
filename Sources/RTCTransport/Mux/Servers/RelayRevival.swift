import RTCWire

/// When an allocation that was lost in the middle of a session is made anew: at once, then after pauses that double. One that
/// never came to stand is not: most likely the configuration is wrong. A value.
struct RelayRevival {
    /// When the next attempt is due; nil while there is none to wait for.
    private(set) var due: Instant?
    private var attempts = 0
    /// When the allocation came to stand; nil while there is none.
    private var allocatedAt: Instant?

    /// There is an allocation.
    mutating func allocated(now: Instant) {
        allocatedAt = now
        due = nil
    }

    /// It is gone, or an attempt to make it anew has failed; false where nothing more is tried.
    mutating func lost(now: Instant) -> Bool {
        if let allocatedAt {
            if now - allocatedAt >= RelayRevival.settled { attempts = 0 }
            self.allocatedAt = nil
        } else if attempts == 0 {
            return false
        }
        guard attempts < RelayRevival.maximumAttempts else { return false }
        due = attempts == 0 ? now : now + RelayRevival.firstPause * (1 << (attempts - 1))
        attempts += 1
        return true
    }

    /// The attempt that was due begins.
    mutating func begin() { due = nil }

    private static let firstPause = Interval.milliseconds(500)
    /// Pauses of 0.5, 1, 2 and 4 s: a server that was started anew is there by then.
    private static let maximumAttempts = 5
    /// An allocation that lasted for so long was a good one.
    private static let settled = Interval.seconds(30)
}
