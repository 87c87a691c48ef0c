import MediaCore
import RTCWire

/// Q6: the active speaker on scripted level traces, with seeds that no tuning has seen.
enum SpeakerRow {
    private static let seedsPerSize = 6

    @Sendable static func run(_ settings: BenchSettings) -> [Row] {
        var scored = Interval.zero
        var right = Interval.zero
        var shortest = Interval.seconds(3600)
        var coughs = 0
        for talkers in 2...8 {
            for seed in 0..<seedsPerSize {
                let trace = SpeakerTrace(seed: UInt64(90_000 + 10 * seed + talkers), talkers: talkers)
                let score = SpeakerScore(trace)
                scored = scored + score.scored
                right = right + score.right
                shortest = min(shortest, score.shortestStay)
                coughs += score.coughSwitches
            }
        }
        let share = 100 * right.seconds / max(scored.seconds, 1e-9)
        return [
            Row(
                id: "Q6", what: "right speaker, \(seedsPerSize * 7) traces, 2-8 talkers", ours: "\(share.fixed(1)) %",
                goal: "at least 95 %", isMet: share >= 95),
            Row(
                id: "Q6", what: "shortest stay; switches from coughs",
                ours: "\(shortest.seconds.fixed(2)) s; \(coughs)", goal: "at least 1 s; none",
                isMet: shortest >= .seconds(1) && coughs == 0),
        ]
    }
}
