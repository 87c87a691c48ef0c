import RTCWire

/// What an encoder is given where its rate is too low for all pictures at full size: smaller pictures first and then fewer of
/// them, or only fewer, and back again. Judged by the quantizer, with libwebrtc's thresholds for VP8, and by what a size
/// takes at least (`PictureRates`); the latter alone, and pictures left out, where an encoder doesn't tell its quantizer. A
/// value.
///
/// A step up that doesn't last makes the next one wait twice as long, until the rate is half as much again as it was then.
struct QualityScaler: Sendable {
    /// What is left of a source's pictures.
    struct Step: Sendable, Hashable {
        /// Share of the picture rate.
        var pictures = 1.0
        /// Share of width and of height.
        var size = 1.0
    }

    /// By turns three quarters and two thirds of the one before, as with libwebrtc.
    private static let sizes = [1, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125]
    private static let shares = [1, 2.0 / 3, 0.5, 1.0 / 3, 0.25, 1.0 / 6]
    /// No picture gets smaller than this, as with libwebrtc.
    private static let leastPixels = 320.0 * 180
    /// Pictures a second that are left at least: of motion, and of what is read.
    private static let leastMotion = 15.0
    private static let leastDetail = 5.0
    /// Of 127: coarser than the first is too coarse, finer than the second leaves room.
    private static let coarse = 95.0
    private static let fine = 29.0
    /// Finer than this leaves room, too, where the rate is so many times what the next step takes at least: small pictures of
    /// what moves don't get fine at any rate. Not of screens: what is read has to be fine.
    private static let middling = 50.0
    private static let ample = 1.5
    /// Finer than this leaves room for more pictures of what moves: half as many again, each with two thirds of the bits, are
    /// coarser by some 15.
    private static let thinned = 75.0
    /// As coarse as an encoder gets: one step would not do.
    private static let coarsest = 112.0
    /// Pictures that had to be left out, of all.
    private static let mostSkipped = 0.4
    private static let downwards = Interval.seconds(1)
    /// A rate that is much too low for the size doesn't wait for the quantizer to tell.
    private static let starving = Interval.milliseconds(500)
    private static let leastPictures = 8
    private static let firstPatience = Interval.seconds(2)
    private static let longestPatience = Interval.seconds(60)
    /// A step up that lasts so long was right.
    private static let trial = Interval.seconds(10)
    /// With so many times the rate, a step up that failed says nothing any more.
    private static let wider = 1.5

    private let preference: DegradationPreference
    private let frameRate: Double
    /// Indices of what is left.
    private var size = 0
    private var share = 0
    private var since: Instant?
    private var starvingSince: Instant?
    private var pictures = 0
    private var skipped = 0
    /// Of the pictures whose quantizer is known.
    private var quantizers = (sum: 0, count: 0)
    private var lastUp: Instant?
    private var patience = QualityScaler.firstPatience
    /// The rate at which a step up did not last, the latest.
    private var failedRate: Int?
    /// Of a picture at full size.
    private var pixels = 0.0

    /// - Parameter frameRate: of the source, pictures a second.
    init(_ preference: DegradationPreference = .balanced, frameRate: Double = 30) {
        self.preference = preference
        self.frameRate = frameRate
    }

    var step: Step { Step(pictures: QualityScaler.shares[share], size: QualityScaler.sizes[size]) }

    private var isReduced: Bool { size > 0 || share > 0 }

    /// Counts a picture that was encoded.
    ///
    /// - Parameters:
    ///   - quantizer: 0...127; nil where the encoder doesn't say.
    ///   - pixels: of the picture at full size.
    mutating func note(quantizer: Int?, pixels: Double) {
        pictures += 1
        if let quantizer { quantizers = (quantizers.sum + quantizer, quantizers.count + 1) }
        self.pixels = pixels
    }

    /// Counts a picture that the encoder's rate had no room for.
    mutating func noteSkipped() { skipped += 1 }

    /// Judges what has come since the last step.
    ///
    /// - Parameters:
    ///   - rate: that the encoder is allowed, bit/s; nil for its own.
    ///   - own: that the stream was set up for, bit/s.
    mutating func advance(rate: Int?, own: Int, now: Instant) {
        let begin = since ?? now
        since = begin
        let elapsed = now - begin
        let isLimited = PictureBudget.limits(rate, own: own)
        guard isLimited || isReduced else { return restart(now) }
        let quantizer = quantizers.count > 0 ? Double(quantizers.sum) / Double(quantizers.count) : nil
        let left = Double(skipped) / Double(max(pictures + skipped, 1))
        let isFine = skipped == 0 && quantizer.map { $0 <= QualityScaler.fine } ?? false
        if isLimited, let rate, !isFine, isStarving(rate, own, now) { return fit(rate, own: own, now: now) }
        if !isLimited || isFine { starvingSince = nil }
        guard elapsed >= QualityScaler.downwards, pictures + skipped >= QualityScaler.leastPictures else { return }
        let coarseness = quantizer ?? 0
        if isLimited, coarseness >= QualityScaler.coarse || left > QualityScaler.mostSkipped {
            let isFar = coarseness >= QualityScaler.coarsest || left > QualityScaler.mostSkipped
            reduce(by: isFar ? 2 : 1, rate, now)
        } else if elapsed >= patience(at: rate) {
            let hasRoom = quantizer.map { $0 <= bound(rate, own) } ?? (skipped == 0)
            if isReduced, !isLimited || hasRoom && bears(next: rate, own) { raise(now) } else { restart(now) }
        }
    }

    /// How coarse pictures may be before the next step up.
    private func bound(_ rate: Int?, _ own: Int) -> Double {
        guard preference == .balanced else { return QualityScaler.fine }
        if share > 0 { return QualityScaler.thinned }
        return bears(next: rate, own, times: QualityScaler.ample) ? QualityScaler.middling : QualityScaler.fine
    }

    // MARK: What a size takes

    /// Goes to the largest size that a rate suffices for, where that is smaller than the present one.
    mutating func fit(_ rate: Int, own: Int, now: Instant) {
        var count = 0
        while canShrink(by: count + 1), Double(rate) < PictureRates.least(of: pixels(at: size + count), own: own) {
            count += 1
        }
        if count > 0 { reduce(by: count, rate, now) }
    }

    /// Whether a rate doesn't suffice for the present size, and there is a smaller one.
    func isTooLarge(for rate: Int, own: Int) -> Bool {
        canShrink && Double(rate) < PictureRates.least(of: pixels(at: size), own: own)
    }

    /// Whether a rate has been much too low for the present size for some time.
    private mutating func isStarving(_ rate: Int, _ own: Int, _ now: Instant) -> Bool {
        let needed = PictureRates.starvation * PictureRates.least(of: pixels(at: size), own: own)
        guard canShrink, Double(rate) < needed else {
            starvingSince = nil
            return false
        }
        let begin = starvingSince ?? now
        starvingSince = begin
        return now - begin >= QualityScaler.starving
    }

    /// Whether the next step up has the rate that it needs, and so many times of it. More pictures of one size need none of
    /// their own.
    private func bears(next rate: Int?, _ own: Int, times factor: Double = 1) -> Bool {
        guard let rate, share == 0, size > 0 else { return true }
        return Double(rate) >= factor * PictureRates.least(of: pixels(at: size - 1), own: own)
    }

    private func pixels(at size: Int) -> Double {
        let share = QualityScaler.sizes[min(size, QualityScaler.sizes.count - 1)]
        return pixels * share * share
    }

    // MARK: Steps

    private var canShrink: Bool { canShrink(by: 1) }

    private func canShrink(by count: Int) -> Bool {
        preference == .balanced && size + count < QualityScaler.sizes.count
            && pixels(at: size + count) >= QualityScaler.leastPixels
    }

    private var canThin: Bool {
        let least = preference == .balanced ? QualityScaler.leastMotion : QualityScaler.leastDetail
        return share + 1 < QualityScaler.shares.count
            && frameRate * QualityScaler.shares[share + 1] >= least - 0.5
    }

    private func patience(at rate: Int?) -> Interval {
        guard let rate, let failedRate, Double(rate) < QualityScaler.wider * Double(failedRate) else {
            return QualityScaler.firstPatience
        }
        return patience
    }

    private mutating func reduce(by count: Int, _ rate: Int?, _ now: Instant) {
        if let lastUp, now - lastUp < QualityScaler.trial {
            patience = min(patience(at: rate) * 2, QualityScaler.longestPatience)
            failedRate = rate
        }
        lastUp = nil
        for _ in 0..<count {
            if canShrink {
                size += 1
            } else if canThin {
                share += 1
            }
        }
        restart(now)
    }

    private mutating func raise(_ now: Instant) {
        if let lastUp, now - lastUp >= QualityScaler.trial { patience = QualityScaler.firstPatience }
        if share > 0 { share -= 1 } else { size -= 1 }
        lastUp = now
        restart(now)
    }

    private mutating func restart(_ now: Instant) {
        since = now
        starvingSince = nil
        pictures = 0
        skipped = 0
        quantizers = (0, 0)
    }
}

/// What pictures of a size take at least, in bit/s: libwebrtc's limits for a single stream
/// (`GetDefaultSinglecastBitrateLimits`, the rate to begin with).
enum PictureRates {
    /// A size is given up below this part of its least: one that has just been reached is not left again at once.
    static let starvation = 2.0 / 3

    private static let table: [(pixels: Double, rate: Double)] = [
        (320 * 180, 0), (480 * 270, 200_000), (640 * 360, 300_000), (960 * 540, 500_000), (1280 * 720, 900_000),
    ]

    /// - Parameters:
    ///   - pixels: of a picture.
    ///   - own: what its stream was set up for: no more is asked for.
    static func least(of pixels: Double, own: Int) -> Double { min(least(of: pixels), Double(own)) }

    private static func least(of pixels: Double) -> Double {
        var below = table[0]
        for entry in table {
            guard entry.pixels < pixels else {
                let span = entry.pixels - below.pixels
                guard span > 0 else { return entry.rate }
                return below.rate + (entry.rate - below.rate) * (pixels - below.pixels) / span
            }
            below = entry
        }
        return below.rate * pixels / below.pixels
    }
}
