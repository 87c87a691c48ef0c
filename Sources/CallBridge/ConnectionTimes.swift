import MediaCore

/// When a call's media connection came about, went and came back.
struct ConnectionTimes {
    /// When `join` began.
    let begun: MediaTime
    /// From there to connected media; nil before.
    private(set) var milliseconds: Double?
    private var lostAt: MediaTime?

    init(begun: MediaTime) { self.begun = begun }

    /// Gives the milliseconds since `join` began.
    mutating func connected(at now: MediaTime) -> Double {
        let elapsed = ConnectionTimes.milliseconds(begun, now)
        milliseconds = milliseconds ?? elapsed
        return elapsed
    }

    mutating func lost(at now: MediaTime) { lostAt = lostAt ?? now }

    /// Gives for how many milliseconds it was lost; nil where it was not.
    mutating func regained(at now: MediaTime) -> Double? {
        defer { lostAt = nil }
        return lostAt.map { ConnectionTimes.milliseconds($0, now) }
    }

    private static func milliseconds(_ from: MediaTime, _ to: MediaTime) -> Double {
        Double(to.nanoseconds - from.nanoseconds) / 1e6
    }
}
