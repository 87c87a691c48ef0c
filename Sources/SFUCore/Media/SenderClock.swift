import RTCWire

/// What a sender report says of a source's clock: this NTP time is this RTP timestamp (RFC 3550 section 6.4.1).
struct SenderClock {
    /// 32.32 fixed point seconds since 1900, by the sender's clock.
    var ntp: UInt64
    var timestamp: UInt32
    /// When the report came.
    var arrival: Instant

    /// NTP time of an RTP timestamp that lies near the report.
    func ntp(at timestamp: UInt32, clockRate: UInt32) -> UInt64 {
        let seconds = Double(timestamp.distance(after: self.timestamp)) / Double(clockRate)
        return ntp &+ UInt64(bitPattern: Int64(seconds * SenderClock.unitsPerSecond))
    }

    /// RTP timestamp of an NTP time that lies near the report; nil where it doesn't.
    func timestamp(at ntp: UInt64, clockRate: UInt32) -> UInt32? {
        let seconds = Double(Int64(bitPattern: ntp &- self.ntp)) / SenderClock.unitsPerSecond
        guard abs(seconds) < 3600 else { return nil }
        return timestamp &+ UInt32(truncatingIfNeeded: Int64((seconds * Double(clockRate)).rounded()))
    }

    /// The same clock, read at `now`: what the sender would report if it reported now.
    func advanced(to now: Instant, clockRate: UInt32) -> SenderClock {
        let elapsed = min(max((now - arrival).seconds, 0), 3600)
        return SenderClock(
            ntp: ntp &+ UInt64(elapsed * SenderClock.unitsPerSecond),
            timestamp: timestamp &+ UInt32(truncatingIfNeeded: Int64((elapsed * Double(clockRate)).rounded())),
            arrival: now)
    }

    private static let unitsPerSecond = 4_294_967_296.0
}
