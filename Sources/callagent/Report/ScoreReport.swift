import MediaCore

/// What a full-reference score was made from.
struct ScoreReport: Codable {
    /// Root mean square of how unlike the spectra are, 0...0.9.
    var disturbance: Double
    /// Seconds in which either side spoke.
    var comparedSeconds: Double
    /// How far the heard was behind at the end; of a source that is found anywhere nobody knows.
    var delayMs: Double?
    /// How much louder it was at the end.
    var gainDb: Double?
    /// How often it went on from quite another place.
    var jumps: Int

    init(_ opinion: ReferenceOpinion) {
        disturbance = (opinion.disturbance * 1000).rounded() / 1000
        comparedSeconds = opinion.comparedSeconds
        delayMs = opinion.delayMilliseconds
        gainDb = opinion.gainDecibels.map { ($0 * 10).rounded() / 10 }
        jumps = opinion.jumps
    }
}
