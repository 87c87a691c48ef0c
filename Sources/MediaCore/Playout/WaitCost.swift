import RTCWire

/// What people make of a wait and of what comes too late for it, in points of the E-model's rating (`EModel`). A value.
///
/// Losses count by a line: by the model's own curve the first ones cost most, so that whether waiting pays would come and go.
struct WaitCost {
    /// What packets that were waited for no time would take from mouth to ear.
    var passage: Interval

    /// Of one percent of the packets that are missed.
    private static let percent = 2.2

    /// - Parameter missed: share of the packets.
    func points(_ wait: Interval, missed: Float) -> Double {
        EModel.impairment(delayMilliseconds: (passage + wait).milliseconds) + Self.percent * 100 * Double(missed)
    }
}
