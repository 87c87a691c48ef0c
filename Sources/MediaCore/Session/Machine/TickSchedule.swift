import RTCWire

/// When something that comes at a fixed rate is due: tick `n` is `n` intervals after the origin, so that nothing drifts. A
/// late tick is made up for; after a stall of more than `backlog` intervals those that were missed are left out. A value.
struct TickSchedule: Sendable {
    /// Ticks that are made up for at most, unless told otherwise: 100 ms of sound.
    static let usualBacklog = 5

    private let origin: Instant
    private let interval: Interval
    /// Ticks beside the present one that are made up for at most.
    private let backlog: Int
    private var next = 0

    init(origin: Instant, interval: Interval, backlog: Int = TickSchedule.usualBacklog) {
        self.origin = origin
        self.interval = interval
        self.backlog = backlog
    }

    /// Ticks at the multiples of the interval, so that those of many sessions fall together and share a wake-up.
    ///
    /// - Parameters:
    ///   - now: the first one is due at once, with the time of the last multiple.
    ///   - offset: of all of them behind the multiples.
    static func aligned(interval: Interval, offset: Interval = .zero, now: Instant) -> TickSchedule {
        let step = max(1, interval.nanoseconds)
        let since = (now - offset).nanoseconds
        let multiple = since - ((since % step) + step) % step
        return TickSchedule(origin: Instant(nanoseconds: multiple) + offset, interval: interval)
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
