import LoadCore
import MediaCore

/// Stamps the frames of a publisher that has encoders of its own, behind them.
final class StampMarker: EncodedFrameMarker {
    private let truth: SentTruth
    /// Whose pictures they are; nil for sound.
    private let card: TestCardSource?
    /// Seconds between the frames of each stream.
    private let intervals: [Double]
    /// Frames are NAL units behind start codes.
    private let isUnits: Bool

    /// Of sound.
    init(_ truth: SentTruth) {
        self.truth = truth
        card = nil
        intervals = [0.02]
        isUnits = false
    }

    /// Of pictures.
    init(_ truth: SentTruth, of card: TestCardSource, streams: [VideoLayer], codec: VideoCodec = .vp8) {
        isUnits = codec == .h264
        self.truth = truth
        self.card = card
        intervals = streams.map { 1 / min(card.frameRate, max(1, $0.maximumFramesPerSecond)) }
    }

    func mark(_ frame: inout [UInt8], stream: Int, isKeyFrame: Bool, at time: MediaTime) -> Bool {
        guard !truth.isPaused, !truth.isSilent else { return false }
        // A packet of several frames has no room for it; it goes on as it is, and counts as one without a number.
        guard card != nil || MediaStamp.fits(sound: frame) else { return true }
        // The picture that was drawn last is the one that was encoded: a coder draws one, and encodes it.
        let clip = card.map { $0.framesDrawn &- 1 } ?? 0
        let stamp = truth.next(
            layer: UInt8(truncatingIfNeeded: stream), clip: Int(clip),
            bytes: frame.count + (isUnits ? StampUnit.length : MediaStamp.length),
            isKeyFrame: isKeyFrame, interval: stream < intervals.count ? intervals[stream] : 1,
            at: time.nanoseconds)
        frame =
            card == nil
            ? stamp.stamped(sound: frame) ?? frame : stamp.stamped(picture: frame, isUnits: isUnits)
        return true
    }
}
