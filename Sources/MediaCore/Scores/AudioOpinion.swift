/// What listeners would say of a call's sound, by the E-model (ITU-T G.107, with the default values of its table 2, so that
/// delay and loss are all that is left): a transmission rating R of 0...93.2, and the mean opinion score of annex B.
///
/// It knows what was concealed and how late sound came, and nothing of what was said: full-reference scores compare that.
public struct AudioOpinion: Sendable, Hashable {
    /// The share of sound that had to be invented, 0...1.
    public var concealedShare: Double
    /// Mean length of a concealment against that of random losses, 1 or more (G.107 section 3.5, `BurstR`).
    public var burstRatio: Double
    /// From mouth to ear, in milliseconds.
    public var delayMilliseconds: Double

    /// - Parameters:
    ///   - concealedShare: 0...1.
    ///   - burstRatio: 1 for random losses.
    ///   - delayMilliseconds: from mouth to ear.
    public init(concealedShare: Double, burstRatio: Double = 1, delayMilliseconds: Double) {
        self.concealedShare = concealedShare
        self.burstRatio = burstRatio
        self.delayMilliseconds = delayMilliseconds
    }

    /// Robustness of the codec and its concealment against loss (`Bpl`): between G.711 with its concealment (25.1) and G.729
    /// (19), as found for Opus.
    private static let robustness = 20.0
    private static let best = 93.2

    /// The transmission rating.
    public var rating: Double {
        let loss = min(max(concealedShare, 0), 1) * 100
        let burst = max(burstRatio, 1)
        let equipment = 95 * loss / (loss / burst + Self.robustness)
        let delay = EModel.impairment(delayMilliseconds: min(max(delayMilliseconds, 0), 10_000))
        return min(max(Self.best - delay - equipment, 0), Self.best)
    }

    /// The mean opinion score, 1 (bad) to 4.41 (the best that R allows).
    public var score: Double {
        let rating = rating
        return max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)
    }
}
