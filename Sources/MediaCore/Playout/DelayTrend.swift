import RTCWire

/// Whether packets that follow each other come later and later. A value.
struct DelayTrend {
    /// From one to the next; less is jitter.
    private static let step = Interval.milliseconds(3)

    /// Of the latest packet.
    private(set) var latest = Interval.zero
    /// How many have been later than the one before.
    private var steps = 0

    /// Two in a row are no jitter.
    var isRising: Bool { steps >= 2 }

    mutating func note(_ delay: Interval) {
        if delay >= latest + DelayTrend.step {
            steps += 1
        } else if delay < latest - DelayTrend.step || steps < 2 {
            steps = 0
        }
        latest = delay
    }
}
