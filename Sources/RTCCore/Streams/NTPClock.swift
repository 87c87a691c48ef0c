import RTCWire

/// The step from our own time line to NTP time (RFC 3550 section 4): 32.32 fixed-point seconds since 1900.
struct NTPClock {
    /// Nanoseconds since 1900 minus nanoseconds of our time line.
    var offset = Interval.zero

    /// NTP time of an instant; an instant before 1900 gives 0.
    func timestamp(_ instant: Instant) -> UInt64 {
        let total = instant.nanoseconds &+ offset.nanoseconds
        guard total > 0 else { return 0 }
        let (seconds, rest) = UInt64(total).quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds << 32 | rest << 32 / 1_000_000_000
    }

    /// The send time extension: 24 bits of 6.18 fixed-point seconds.
    func absoluteSendTime(_ instant: Instant) -> UInt32 {
        UInt32(truncatingIfNeeded: timestamp(instant) >> 14) & 0x00ff_ffff
    }
}

extension UInt64 {
    /// The middle 32 bits of an NTP timestamp, as LSR carries them.
    var middleNTP: UInt32 { UInt32(truncatingIfNeeded: self >> 16) }
}

extension Interval {
    /// In units of 1/65,536 s, as DLSR carries it; 0 for a negative one.
    var dlsr: UInt32 {
        guard nanoseconds > 0 else { return 0 }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return UInt32(truncatingIfNeeded: min(seconds, 0xffff) << 16 | rest << 16 / 1_000_000_000)
    }

    /// From units of 1/65,536 s.
    init(dlsr: UInt32) { self.init(nanoseconds: (Int64(dlsr) * 1_000_000_000) >> 16) }
}
