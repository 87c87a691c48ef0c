import RTCWire

/// Which pictures an encoder makes key frames: at once where a stream begins or goes on after a break, and for requests of
/// the other side at most one in 300 ms, as libwebrtc does. A request in between waits and is not lost. A value.
struct KeyFramePacing {
    static let spacing = Interval.milliseconds(300)

    private var last: Instant?

    /// Whether the picture of `now` is to be a key frame.
    ///
    /// - Parameters:
    ///   - isNeeded: nothing before it can be decoded by anybody.
    ///   - isRequested: somebody has asked for one.
    func wants(isNeeded: Bool, isRequested: Bool, now: Instant) -> Bool {
        guard !isNeeded else { return true }
        guard isRequested else { return false }
        guard let last else { return true }
        return now - last >= Self.spacing
    }

    /// A key frame was made, or asked of a source that makes them itself.
    mutating func made(at now: Instant) { last = now }
}
