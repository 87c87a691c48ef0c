import RTCWire

/// Send times of 24 bits, which come round every 64 s, as moments on the sender's clock.
struct SendTimeUnwrapper: Sendable {
    /// In units of 2^-18 s, from an origin that means nothing.
    private var latest: Int64?

    mutating func unwrap(_ time: UInt32) -> Instant {
        let time = Int64(time & 0xff_ffff)
        // Behind the origin, so that what was overtaken by the first packet has a place.
        let last = latest ?? time + 1 << 24
        let step = ((time - last) << 40) >> 40
        let ticks = last + step
        latest = ticks
        return Instant(nanoseconds: (ticks >> 18) * 1_000_000_000 + ((ticks & 0x3_ffff) * 1_000_000_000) >> 18)
    }
}
