import RTCWire

/// When the ticks of a `PeriodicPump` are due: tick `n` is `n` intervals after the origin, so that nothing drifts. A value.
struct TickSchedule: Sendable {
    private let origin: Instant
    private let interval: Interval
    /// Ticks beside the present one that are made up for at most.
    private let backlog: Int
    private var next = 0

    init(origin: Instant, interval: Interval, backlog: Int) {
        self.origin = origin
        self.interval = interval
        self.backlog = backlog
    }

    /// When the next tick is due.
    var deadline: Instant { origin + interval * next }

    /// After a stall that left more ticks undone than are made up for, all but the latest are left out.
    /// - Returns: how many.
    mutating func skip(at now: Instant) -> Int {
        let behind = Int((now - deadline).nanoseconds / max(1, interval.nanoseconds))
        guard behind > backlog else { return 0 }
        next += behind
        return behind
    }

    /// The next tick and when it was due; nil where none is due at `now`.
    mutating func take(at now: Instant) -> (index: Int, due: Instant)? {
        let due = deadline
        guard due <= now else { return nil }
        defer { next += 1 }
        return (next, due)
    }
}
