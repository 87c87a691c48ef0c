/// A patch of heard levels beside the levels of the source that they may come from, both in dB over what counts as silence.
///
/// The source's levels lie 5 ms apart, and what is heard lies anywhere between them: where spectra rise by a decibel each
/// millisecond, the nearest one is not near enough. So levels are interpolated, to a quarter of a step.
struct LevelPatch {
    private static let bands = BandLevels.bands
    /// Parts of a step.
    private static let parts = 4
    /// Levels that are as good as silence.
    private static let quiet: Float = 8
    /// Levels of the source of which the gain can be told.
    private static let loud: Float = 5

    private let count: Int
    /// Whether anything was heard before.
    private let hasBefore: Bool
    /// How much louder the heard was taken to be, dB.
    private let gain: Float
    /// With one spectrum more before and behind.
    private var heard: [Float] = []
    /// The source along the delays, as many spectra as ``heard`` has.
    private var matched: [Float] = []
    private var source: [Float] = []
    /// Twice the number of the patch's first spectrum, less the number of the source's first: where delay 0 lies.
    private let origin: Int

    /// - Parameters:
    ///   - levels: what was heard, with the spectra around the range.
    ///   - range: the patch.
    ///   - gain: how much louder it is than the source, dB.
    ///   - reference: the source.
    ///   - delays: in steps of 5 ms, all that will be asked for.
    init(
        _ levels: BandLevels, _ range: Range<Int>, gain: Float, reference: ReferenceSound, delays: ClosedRange<Int>
    ) {
        (count, self.gain, hasBefore) = (range.count, gain, range.lowerBound > levels.first)
        heard.reserveCapacity((range.count + 2) * Self.bands)
        for spectrum in (range.lowerBound - 1)...range.upperBound {
            for band in 0..<Self.bands {
                heard.append(max(0, levels.decibels(spectrum, band) - gain - reference.floor))
            }
        }
        // Neighbours and interpolation reach three steps further than the patch.
        let first = 2 * range.lowerBound - delays.upperBound - 3
        let last = 2 * range.upperBound - delays.lowerBound + 3
        origin = 2 * range.lowerBound - first
        source.reserveCapacity((last - first + 1) * Self.bands)
        for spectrum in first...last {
            for band in 0..<Self.bands { source.append(reference.value(spectrum, band)) }
        }
    }

    /// The mean difference of a spectrum of the patch at a delay, dB. Heard silence is no evidence of a delay: a gap must not
    /// be explained by the nearest pause of the source.
    func difference(_ spectrum: Int, _ delay: Int) -> Float {
        let start = (spectrum + 1) * Self.bands
        guard heard[start..<(start + Self.bands)].contains(where: { $0 > Self.quiet }) else { return 0 }
        return difference(spectrum, delay, shift: 0)
    }

    private func difference(_ spectrum: Int, _ delay: Int, shift: Int) -> Float {
        let start = (spectrum + 1) * Self.bands
        let here = (origin + 2 * spectrum - delay) * Self.bands
        let beside = shift < 0 ? here - Self.bands : here + Self.bands
        let share = Float(abs(shift)) / Float(Self.parts)
        var sum: Float = 0
        for band in 0..<Self.bands {
            let value = source[here + band]
            sum += abs(heard[start + band] - value - share * (source[beside + band] - value))
        }
        return sum / Float(Self.bands)
    }

    /// Lays the source along the delays of the patch's spectra, between its steps where that fits better.
    mutating func match(_ delays: [Int]) {
        matched.removeAll(keepingCapacity: true)
        var start = 0
        while start < count {
            // A stretch of one delay lies at one place between the steps.
            let end = delays[start...].firstIndex { $0 != delays[start] } ?? count
            let shift = bestShift(start..<end, delays[start])
            for spectrum in (start == 0 ? -1 : start)..<(end == count ? count + 1 : end) {
                append(spectrum, delays[start], shift)
            }
            start = end
        }
    }

    private func bestShift(_ range: Range<Int>, _ delay: Int) -> Int {
        var (best, least) = (0, Float.infinity)
        for shift in [0, 1, -1, 2, -2] {
            let sum = range.reduce(Float(0)) { $0 + difference($1, delay, shift: shift) }
            if sum < least { (best, least) = (shift, sum) }
        }
        return best
    }

    private mutating func append(_ spectrum: Int, _ delay: Int, _ shift: Int) {
        let here = (origin + 2 * spectrum - delay) * Self.bands
        let beside = shift < 0 ? here - Self.bands : here + Self.bands
        let share = Float(abs(shift)) / Float(Self.parts)
        for band in 0..<Self.bands {
            let value = source[here + band]
            matched.append(value + share * (source[beside + band] - value))
        }
    }

    /// How unlike a spectrum is, 0...1, and the share of its bands in which there is sound.
    func compare(_ spectrum: Int) -> (unlike: Float, active: Float) {
        var (sum, count) = (Float(0), Float(0))
        let steps = spectrum == 0 && !hasBefore ? 0...1 : -1...1
        for band in 0..<Self.bands {
            let middle = (spectrum + 1) * Self.bands + band
            guard max(heard[middle], matched[middle]) > Self.quiet else { continue }
            var similarity = NeurogramSimilarity()
            for step in steps {
                for other in max(0, band - 1)...min(Self.bands - 1, band + 1) {
                    let place = (spectrum + 1 + step) * Self.bands + other
                    similarity.add(step, other - band, heard[place], matched[place])
                }
            }
            sum += 1 - similarity.value
            count += 1
        }
        return count > 0 ? (sum / count, count / Float(Self.bands)) : (0, 0)
    }

    /// By how much the heard is louder: the median over bands and spectra that sound in both; nil where those are too few.
    var heardGain: Float? {
        var gains = GainHistogram()
        for place in Self.bands..<((count + 1) * Self.bands) where heard[place] > 0 && matched[place] > Self.loud {
            gains.add(heard[place] + gain - matched[place])
        }
        return gains.median
    }
}
