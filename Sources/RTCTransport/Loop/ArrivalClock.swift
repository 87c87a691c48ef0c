import RTCWire

/// Turns the kernel's arrival times, which are wall-clock time, into instants of the monotonic time line.
///
/// What counts is the age at the reading. A wall clock that is set meanwhile would make it negative or huge: nothing
/// comes after it was read, and nothing before the socket was last seen empty.
struct ArrivalClock {
    /// The present reading of the monotonic clock.
    private(set) var now: Instant
    private var realNow: Int64
    /// Everything that is read from now on came after this.
    private(set) var earliest: Instant

    init(now: Instant, realNow: Int64) {
        self.now = now
        self.realNow = realNow
        earliest = now
    }

    /// Takes both clocks' time, after datagrams were read.
    mutating func set(now: Instant, realNow: Int64) {
        self.now = max(now, self.now)
        self.realNow = realNow
    }

    /// The socket was seen empty by a reading that began at `instant`.
    mutating func drained(at instant: Instant) { earliest = max(earliest, min(instant, now)) }

    /// When a datagram came that has just been read.
    ///
    /// - Parameter realTime: nanoseconds of the wall clock; nil where the kernel says none.
    func arrival(realTime: Int64?) -> Instant {
        guard let realTime else { return now }
        let (age, overflow) = realNow.subtractingReportingOverflow(realTime)
        guard !overflow, age > 0 else { return now }
        guard age < (now - earliest).nanoseconds else { return earliest }
        return now - Interval(nanoseconds: age)
    }
}
