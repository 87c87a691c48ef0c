import RTCWire

/// What an encoder is given where its rate is too low for all pictures at full size: fewer of them first, then smaller ones,
/// and back again. Judged by the quantizer, with libwebrtc's thresholds for VP8. A value.
///
/// A step up that doesn't last makes the next one wait twice as long.
struct QualityScaler: Sendable {
    /// What is left of a source's pictures.
    struct Step: Sendable, Hashable {
        /// Share of the picture rate.
        var pictures: Double
        /// Share of width and of height.
        var size: Double
    }

    private static let steps = [
        Step(pictures: 1, size: 1), Step(pictures: 2.0 / 3, size: 1), Step(pictures: 0.5, size: 1),
        Step(pictures: 0.5, size: 0.75), Step(pictures: 0.5, size: 0.5), Step(pictures: 1.0 / 3, size: 0.5),
        Step(pictures: 1.0 / 3, size: 0.375), Step(pictures: 1.0 / 3, size: 0.25),
    ]
    /// No picture gets smaller than this, as with libwebrtc.
    private static let leastPixels = 320.0 * 180
    /// Of 127: coarser than the first is too coarse, finer than the second leaves room.
    private static let coarse = 95.0
    private static let fine = 29.0
    /// As coarse as an encoder gets: one step would not do.
    private static let coarsest = 112.0
    /// Pictures that had to be left out, of all.
    private static let mostSkipped = 0.4
    private static let downwards = Interval.seconds(1)
    private static let leastPictures = 8
    private static let firstPatience = Interval.seconds(2)
    private static let longestPatience = Interval.seconds(60)
    /// A step up that lasts so long was right.
    private static let trial = Interval.seconds(10)

    private var level = 0
    private var since: Instant?
    private var pictures = 0
    private var skipped = 0
    private var quantizers = 0
    private var lastUp: Instant?
    private var patience = QualityScaler.firstPatience
    private var pixels = 0.0

    var step: Step { QualityScaler.steps[level] }

    /// Counts a picture that was encoded.
    ///
    /// - Parameters:
    ///   - quantizer: 0...127.
    ///   - pixels: of the picture at full size.
    mutating func note(quantizer: Int, pixels: Double) {
        pictures += 1
        quantizers += quantizer
        self.pixels = pixels
    }

    /// Counts a picture that the encoder's rate had no room for.
    mutating func noteSkipped() { skipped += 1 }

    /// Judges what has come since the last step.
    ///
    /// - Parameter isLimited: the encoder is allowed less than its stream was set up for.
    mutating func advance(isLimited: Bool, now: Instant) {
        let begin = since ?? now
        since = begin
        let elapsed = now - begin
        guard isLimited || level > 0 else { return restart(now) }
        guard elapsed >= QualityScaler.downwards, pictures + skipped >= QualityScaler.leastPictures else { return }
        let quantizer = Double(quantizers) / Double(max(pictures, 1))
        let left = Double(skipped) / Double(pictures + skipped)
        if isLimited, quantizer >= QualityScaler.coarse || left > QualityScaler.mostSkipped {
            reduce(by: quantizer >= QualityScaler.coarsest || left > QualityScaler.mostSkipped ? 2 : 1, now)
        } else if elapsed >= patience {
            if level > 0, !isLimited || quantizer <= QualityScaler.fine { raise(now) } else { restart(now) }
        }
    }

    private mutating func reduce(by count: Int, _ now: Instant) {
        if let lastUp, now - lastUp < QualityScaler.trial {
            patience = min(patience * 2, QualityScaler.longestPatience)
        }
        lastUp = nil
        for _ in 0..<count {
            guard level + 1 < QualityScaler.steps.count else { break }
            let size = QualityScaler.steps[level + 1].size
            guard size == step.size || pixels * size * size >= QualityScaler.leastPixels else { break }
            level += 1
        }
        restart(now)
    }

    private mutating func raise(_ now: Instant) {
        if let lastUp, now - lastUp >= QualityScaler.trial { patience = QualityScaler.firstPatience }
        level -= 1
        lastUp = now
        restart(now)
    }

    private mutating func restart(_ now: Instant) {
        since = now
        pictures = 0
        skipped = 0
        quantizers = 0
    }
}
