import Glibc

/// What viewers would say of a call's pictures, from their size, their rate and how long they stood still: 1 (bad) to 5.
///
/// A model of this project's own, in the manner of ITU-T P.1203's modes without bitstream: each factor only ever lowers the
/// score, and the score falls with every freeze. It knows nothing of coding artefacts.
public struct VideoOpinion: Sendable, Hashable {
    /// Height of the pictures in pixels.
    public var height: Int
    /// Pictures shown a second, while they moved.
    public var framesPerSecond: Double
    /// The share of time that they stood still too long, 0...1.
    public var frozenShare: Double
    /// Freezes a minute.
    public var freezesPerMinute: Double

    /// - Parameters:
    ///   - height: in pixels.
    ///   - framesPerSecond: shown, not sent.
    ///   - frozenShare: 0...1.
    ///   - freezesPerMinute: 0 or more.
    public init(height: Int, framesPerSecond: Double, frozenShare: Double, freezesPerMinute: Double) {
        self.height = height
        self.framesPerSecond = framesPerSecond
        self.frozenShare = frozenShare
        self.freezesPerMinute = freezesPerMinute
    }

    /// The score.
    public var score: Double {
        // Each doubling of the height counts the same, from 90 lines to 1,080.
        let sharpness = min(max(log2(Double(max(height, 1)) / 90) / log2(12), 0), 1)
        let motion = min(max(framesPerSecond, 0) / 25, 1).squareRoot()
        let still = exp(-8 * min(max(frozenShare, 0), 1)) * exp(-0.06 * max(freezesPerMinute, 0))
        return 1 + 4 * (0.4 + 0.6 * sharpness) * motion * still
    }
}
