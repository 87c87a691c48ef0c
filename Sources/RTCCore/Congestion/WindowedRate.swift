import RTCWire

/// A rate as the mean of the last second that has ended, in bit/s.
struct WindowedRate: Sendable {
    private static let window = Interval.seconds(1)

    private(set) var bitrate = 0.0
    private var bytes = 0
    private var start: Instant?

    mutating func add(_ size: Int, now: Instant) {
        advance(to: now)
        bytes += size
    }

    mutating func advance(to now: Instant) {
        let begin = start ?? now
        start = begin
        guard now - begin >= WindowedRate.window else { return }
        bitrate = Double(bytes * 8) / (now - begin).seconds
        bytes = 0
        start = now
    }
}
