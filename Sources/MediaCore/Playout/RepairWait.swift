import RTCWire

/// How long pictures wait for repetitions, beyond what jitter asks for. A value.
///
/// A picture that comes later than it was to be shown makes the one before stand a little longer; a wait makes all of them later.
/// So they wait as long as lets half of the pictures come in time, and five of six early enough for none to stand still: where a
/// round trip is short and losses are few nobody waits; where most pictures would be held up, all are shown later.
struct RepairWait {
    /// The share of the pictures that may come late.
    private static let late = 0.5
    /// The share of those that may come so late that the one before counts as frozen, and by how much that is (W3C webrtc-stats).
    private static let frozen = (share: 0.17, lateness: Interval.milliseconds(155))
    /// The memory: a third of it is ten seconds old, and how many pictures in time it begins with.
    private static let forgetting = 0.997
    private static let expected = 60

    /// How much later than by jitter; nil where nothing had to be repaired.
    private var latenesses: DelayHistogram?
    /// The wait that pictures need.
    private(set) var value = Interval.zero

    /// Takes in a picture.
    ///
    /// - Parameter lateness: how much later than jitter explains it could be decoded, for a packet of it or of one before had to be
    ///   repeated; nil where nothing held it up.
    mutating func note(_ lateness: Interval?) {
        if latenesses == nil {
            guard lateness != nil else { return }
            latenesses = DelayHistogram(
                longest: .seconds(1), forgetting: Self.forgetting, expected: Self.expected)
        }
        latenesses?.record(max(lateness ?? .zero, .zero))
        let few = latenesses?.delay(beyond: Self.late) ?? .zero
        let wait = max(few, (latenesses?.delay(beyond: Self.frozen.share) ?? .zero) - Self.frozen.lateness)
        value = wait > Interval(nanoseconds: DelayHistogram.bucket) ? wait : .zero
    }
}
