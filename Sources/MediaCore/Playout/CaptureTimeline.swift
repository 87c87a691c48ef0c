import RTCWire

/// Places the pictures of one stream on our clock by their RTP timestamps (90 kHz, RFC 7741 section 4.1), so that the
/// network's jitter doesn't show in their times.
///
/// The fastest picture so far sets the relation between the two clocks. A timestamp that leads further away from the
/// arrival than ``tolerance`` begins another line: the sender's clock was set anew, or another sender goes on.
package struct CaptureTimeline: Sendable {
    /// How far a picture's time may lie before its arrival.
    package static let tolerance = Interval.seconds(1)

    private var last: (timestamp: UInt32, time: Int64)?

    package init() {}

    /// When the picture with `timestamp` was captured, by our clock; never before the one of the call before.
    package mutating func time(of timestamp: UInt32, arrival: Instant) -> MediaTime {
        let time = max(line(timestamp, arrival.nanoseconds), last?.time ?? .min)
        last = (timestamp, time)
        return MediaTime(nanoseconds: time)
    }

    private func line(_ timestamp: UInt32, _ arrival: Int64) -> Int64 {
        guard let last else { return arrival }
        let ticks = Int64(Int32(bitPattern: timestamp &- last.timestamp))
        let time = last.time &+ ticks * 100_000 / 9
        // Nothing arrives before it was captured.
        let isNear = time > arrival &- Self.tolerance.nanoseconds
        return isNear ? min(time, arrival) : arrival
    }
}
