import RTCWire

/// The speed of playing.
struct PlayoutTempo {
    var stretcher = TimeStretcher()
    /// Smoothed delay of the packet to be decoded next, in ns, while a stream settles with what is yet to be played before it; nil where
    /// it must begin anew.
    var level: Double?
    /// Until when the way is one on which queues grow: sound waits a little longer than it would have to.
    var queuedUntil = Instant(nanoseconds: .min)
    /// Samples until the next change of speed is allowed.
    var pause = 0
}
