import RTCWire

/// When one producer is asked for a key frame: at once the first time, then once per interval, with a request inside
/// the interval kept for its end.
struct KeyFrameThrottle {
    private var last: Instant?
    private(set) var isPending = false
    private(set) var deadline: Instant = .distantFuture

    /// Whether to ask now.
    mutating func request(now: Instant, interval: Interval) -> Bool {
        if let last, now - last < interval {
            isPending = true
            deadline = last + interval
            return false
        }
        sent(now)
        return true
    }

    /// Whether a request that had to wait is due.
    mutating func takeDue(now: Instant) -> Bool {
        guard isPending, deadline <= now else { return false }
        sent(now)
        return true
    }

    /// A key frame came: a request that still waits is no longer needed.
    mutating func satisfy() {
        isPending = false
        deadline = .distantFuture
    }

    private mutating func sent(_ now: Instant) {
        last = now
        satisfy()
    }
}
