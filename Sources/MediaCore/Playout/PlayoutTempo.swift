/// The speed of playing.
struct PlayoutTempo {
    var stretcher = TimeStretcher()
    /// Smoothed delay of the packet to be decoded next, in ns; nil where it must begin anew.
    var level: Double?
    /// The longer wait that a new stream begins with has been given up.
    var hasSettled = false
    /// Samples until the next change of speed is allowed.
    var pause = 0
}
