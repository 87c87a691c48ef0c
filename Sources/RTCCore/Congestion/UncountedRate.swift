import RTCWire

/// What leaves without a transport-wide number, audio mostly, and takes its part of the path all the same, in bit/s.
struct UncountedRate: Sendable {
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
        guard now - begin >= UncountedRate.window else { return }
        bitrate = Double(bytes * 8) / (now - begin).seconds
        bytes = 0
        start = now
    }
}
