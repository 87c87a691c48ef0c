/// How late the timers of a call's media ran: what a machine that is too busy takes from a call.
///
/// Sound is due every 20 ms. A timer that runs later than that makes the sender pause and the receiver invent sound
/// although the network lost nothing, so a judgement of either has to know it. Times are in milliseconds.
public struct WakeLateness: Sendable, Hashable, Codable {
    /// A timer that runs this much after it was due counts as late.
    public static let thresholdMilliseconds = 10.0

    /// Timers that ran.
    public var wakes = 0
    /// Those among them that were late.
    public var lateWakes = 0
    /// How long timers were overdue in sum; where several were at the same time, it counts once.
    public var lateMilliseconds = 0.0
    /// The most that one was late.
    public var longestMilliseconds = 0.0
    /// Ticks that were left out because the one before came too late.
    public var skippedTicks = 0

    /// Nothing measured.
    public init() {}

    /// Adds what was measured elsewhere; what overlaps in time then counts twice.
    public mutating func add(_ other: WakeLateness) {
        wakes += other.wakes
        lateWakes += other.lateWakes
        lateMilliseconds += other.lateMilliseconds
        longestMilliseconds = max(longestMilliseconds, other.longestMilliseconds)
        skippedTicks += other.skippedTicks
    }

    /// What came since `earlier`, an earlier reading of the same meter. `longestMilliseconds` stays that of the whole
    /// time unless nothing was late since.
    public func since(_ earlier: WakeLateness) -> WakeLateness {
        var result = self
        result.wakes -= earlier.wakes
        result.lateWakes -= earlier.lateWakes
        result.lateMilliseconds -= earlier.lateMilliseconds
        result.skippedTicks -= earlier.skippedTicks
        if result.lateWakes == 0 { result.longestMilliseconds = 0 }
        return result
    }
}
