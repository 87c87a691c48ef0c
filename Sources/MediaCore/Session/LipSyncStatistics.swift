/// How far a sender's pictures and its sound were apart when shown and played, by its sender reports; milliseconds,
/// whichever was ahead, 50 samples a second.
public struct LipSyncStatistics: Sendable, Hashable {
    /// Half of the time they were no further apart.
    public var p50 = 0.0
    /// Nor than this for 95 % of the time.
    public var p95 = 0.0
    /// The furthest.
    public var maximum = 0.0
    /// Samples.
    public var count = 0

    init?(_ skews: LatencyHistogram) {
        guard skews.count > 0 else { return nil }
        (p50, p95, maximum, count) = (skews.percentile(0.5), skews.percentile(0.95), skews.maximum, skews.count)
    }
}
