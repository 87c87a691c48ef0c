import RTCWire

/// Notices that a path has suddenly got narrow: what it bears has fallen below half of what it bore two seconds before. A value.
struct RateFall: Sendable {
    private static let window = Interval.seconds(2)

    private var from = 0
    private var since = Instant.zero
    private var latest = 0

    /// Takes in what the path bears from now on, in bit/s. Gives whether that is less than half of what it was.
    mutating func note(_ bitrate: Int, now: Instant) -> Bool {
        // Until now it bore the latest.
        if now - since > RateFall.window || bitrate >= from { (from, since) = (max(latest, bitrate), now) }
        latest = bitrate
        return bitrate < from / 2
    }

    /// The fall has been met: only a further one counts.
    mutating func restart() { from = latest }
}
