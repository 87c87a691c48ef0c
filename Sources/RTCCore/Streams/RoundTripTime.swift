import RTCWire

/// A smoothed round-trip time with its mean deviation (RFC 6298 section 2).
struct RoundTripTime {
    private(set) var smoothed: Interval?
    private var deviation = Interval.zero
    private var least = LeastRoundTrip()

    /// Takes a measurement in; ones below zero or above a minute are no round trips and are left out.
    mutating func measure(_ sample: Interval) {
        guard sample >= .zero, sample < .seconds(60) else { return }
        least.note(sample)
        guard let old = smoothed else {
            smoothed = sample
            deviation = sample / 2
            return
        }
        let difference = Interval(nanoseconds: abs(sample.nanoseconds - old.nanoseconds))
        deviation = deviation + (difference - deviation) / 4
        smoothed = old + (sample - old) / 8
    }

    /// Whether packets wait in a queue on their way, there or back.
    var isQueued: Bool { smoothed.map { least.isQueued($0) } ?? false }

    /// Time after which an answer that has not come is late.
    func timeout(initial: Interval) -> Interval {
        guard let smoothed else { return initial }
        return smoothed + max(deviation * 2, .milliseconds(2))
    }
}
