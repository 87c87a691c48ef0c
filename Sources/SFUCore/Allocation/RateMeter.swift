import RTCWire

/// Bits a second from a counter of bytes, smoothed over about a second.
package struct RateMeter: Sendable {
    private var bytes: Int?
    private var last: Instant = .zero
    package private(set) var bitrate = 0.0

    package init() {}

    package mutating func update(_ bytes: Int, now: Instant) {
        defer {
            self.bytes = bytes
            last = now
        }
        let elapsed = (now - last).seconds
        guard let before = self.bytes, bytes >= before, elapsed > 0 else { return }
        let rate = Double((bytes - before) * 8) / elapsed
        bitrate += (rate - bitrate) * min(1, elapsed)
        // The first samples would otherwise take seconds to come up.
        if bitrate < rate / 4 { bitrate = rate / 2 }
    }
}
