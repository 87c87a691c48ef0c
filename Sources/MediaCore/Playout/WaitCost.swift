import RTCWire

/// What people make of a wait and of what comes too late for it, in points of the E-model's rating (ITU-T G.107): 0.024 for
/// each ms from mouth to ear, and 0.11 more for each beyond 177.3. A value.
struct WaitCost {
    /// What packets that were waited for no time would take from mouth to ear.
    var passage: Interval

    /// Of one percent of the packets that are missed, as a codec that conceals well loses by the first few of them.
    private static let percent = 2.2
    private static let (slope, beyond, limit) = (0.024, 0.11, 177.3)

    /// - Parameter missed: share of the packets.
    func points(_ wait: Interval, missed: Float) -> Double {
        let delay = (passage + wait).milliseconds
        return Self.slope * delay + Self.beyond * max(delay - Self.limit, 0) + Self.percent * 100 * Double(missed)
    }
}
