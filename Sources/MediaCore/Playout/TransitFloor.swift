import RTCWire

/// The least *transit* (arrival minus RTP time) of a stream over some ten seconds: the relation between the sender's clock
/// and ours that jitter does not blur, and that follows drift and changes of route. A value.
package struct TransitFloor: Sendable {
    private static let blockLength: Int64 = 1_250_000_000
    private static let blocks = 8
    /// No frame outruns the fastest by that much, nor falls behind it by the other: the sender's clock was set anew.
    private static let earlyJump: Int64 = 300_000_000
    private static let lateJump: Int64 = 10_000_000_000

    private let clockRate: Int64
    private var timestamps = TimestampUnwrapper()
    /// Least transit per block of time, newest last.
    private var minima: [Int64] = []
    private var blockEnd: Int64 = .min
    private var floor: Int64?

    /// - Parameter clockRate: ticks of the RTP clock in a second.
    package init(clockRate: Int64) { self.clockRate = clockRate }

    /// Takes in a frame.
    /// - Returns: the earliest time at which it could have come; at most its arrival.
    package mutating func observe(timestamp: UInt32, arrival: Instant) -> Instant {
        let time = nanoseconds(timestamps.unwrap(timestamp))
        let transit = arrival.nanoseconds &- time
        if let floor, transit &- floor < -Self.earlyJump || transit &- floor > Self.lateJump { minima.removeAll() }
        if minima.isEmpty || arrival.nanoseconds >= blockEnd {
            if minima.count == Self.blocks { minima.removeFirst() }
            minima.append(transit)
            blockEnd = arrival.nanoseconds &+ Self.blockLength
        } else {
            minima[minima.count - 1] = min(minima[minima.count - 1], transit)
        }
        let least = minima.min() ?? transit
        floor = least
        return Instant(nanoseconds: time &+ least)
    }

    private func nanoseconds(_ ticks: Int64) -> Int64 {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: clockRate)
        return seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / clockRate
    }
}
