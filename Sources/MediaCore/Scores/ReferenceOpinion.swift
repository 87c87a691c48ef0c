/// What listeners would say of heard sound beside the sound that was said: 1 (nothing of it is left) to 5 (no difference).
///
/// A full-reference model of this project's own, in the manner of ViSQOL and of PESQ's bands; how it was made and calibrated
/// is in docs/quality.md.
public struct ReferenceOpinion: Sendable, Hashable {
    /// Root mean square of how much more unlike the spectra are than a codec makes them, 0...0.9, where there is sound.
    public var disturbance: Double
    /// Seconds in which there was something to compare: either side spoke.
    public var comparedSeconds: Double
    /// How far the heard is behind, in milliseconds, at the end; nil where the source repeats or was never found.
    public var delayMilliseconds: Double?
    /// How much louder it is, in decibels, at the end; nil where it was never found.
    public var gainDecibels: Double?
    /// How often the heard went on from quite another place of the source.
    public var jumps: Int

    /// - Parameters:
    ///   - disturbance: 0...0.9.
    ///   - comparedSeconds: 0 or more.
    ///   - delayMilliseconds: at the end.
    ///   - gainDecibels: at the end.
    ///   - jumps: 0 or more.
    public init(
        disturbance: Double, comparedSeconds: Double, delayMilliseconds: Double? = nil, gainDecibels: Double? = nil,
        jumps: Int = 0
    ) {
        self.disturbance = disturbance
        self.comparedSeconds = comparedSeconds
        self.delayMilliseconds = delayMilliseconds
        self.gainDecibels = gainDecibels
        self.jumps = jumps
    }

    /// Disturbances and what they are worth, from measurements of speech through Opus and the jitter buffer; between them
    /// straight lines.
    private static let scale: [(disturbance: Double, score: Double)] = [
        (0, 5), (0.04, 4.5), (0.1, 3.8), (0.2, 2.6), (0.4, 1.6), (0.6, 1),
    ]

    /// The score, 1...5.
    public var score: Double {
        guard disturbance > 0 else { return disturbance.isNaN ? 1 : 5 }
        for (low, high) in zip(Self.scale, Self.scale.dropFirst()) where disturbance <= high.disturbance {
            let share = (disturbance - low.disturbance) / (high.disturbance - low.disturbance)
            return low.score + share * (high.score - low.score)
        }
        return 1
    }
}
