/// Where in a known sound a stretch of heard sound comes from, and how much louder it is.
struct SoundSearch {
    private let heard: BandLevels
    private let reference: ReferenceSound
    private let range: Range<Int>
    /// What of the heard counts as silence: as far below its own loudest as the reference has it.
    private let floor: Float

    /// A place that was found.
    struct Match {
        /// How far the heard is behind, in steps of 5 ms.
        var delay: Int
        /// -1...1.
        var correlation: Float
    }

    init(_ heard: BandLevels, _ range: Range<Int>, in reference: ReferenceSound) {
        (self.heard, self.range, self.reference) = (heard, range, reference)
        var loudest: UInt8 = 0
        for spectrum in range { loudest = max(loudest, heard.peak(spectrum)) }
        floor = max(Float(loudest) / 2 - ReferenceSound.range, 1)
    }

    /// The best place among some delays: a few bands at every fourth one first, then all bands around the best.
    func best(_ delays: ClosedRange<Int>) -> Match {
        var best = Match(delay: min(max(0, delays.lowerBound), delays.upperBound), correlation: -1)
        for delay in stride(from: delays.lowerBound, through: delays.upperBound, by: 4) {
            let value = correlation(delay, spectra: 4, bands: 2)
            if value > best.correlation { best = Match(delay: delay, correlation: value) }
        }
        let near = max(delays.lowerBound, best.delay - 6)...min(delays.upperBound, best.delay + 6)
        best.correlation = -1
        for delay in near {
            let value = correlation(delay, spectra: 1, bands: 1)
            if value > best.correlation { best = Match(delay: delay, correlation: value) }
        }
        return best
    }

    /// How alike the levels are at a delay, -1...1, by every `spectra`-th spectrum and every `bands`-th band.
    func correlation(_ delay: Int, spectra: Int = 1, bands: Int = 1) -> Float {
        var (count, x, y, xx, yy, xy) = (Float(0), Float(0), Float(0), Float(0), Float(0), Float(0))
        for spectrum in stride(from: range.lowerBound, to: range.upperBound, by: spectra) {
            for band in stride(from: 0, to: BandLevels.bands, by: bands) {
                let a = max(0, heard.decibels(spectrum, band) - floor)
                let b = reference.value(2 * spectrum - delay, band)
                count += 1
                x += a
                y += b
                xx += a * a
                yy += b * b
                xy += a * b
            }
        }
        let scale = ((xx - x * x / count) * (yy - y * y / count)).squareRoot()
        return scale > 1e-3 ? (xy - x * y / count) / scale : 0
    }

    /// By how much the heard is louder at a delay, dB: the median over bands and spectra that sound in both; nil where
    /// those are too few.
    func gain(_ delay: Int) -> Float? {
        var gains = GainHistogram()
        for spectrum in range {
            for band in 0..<BandLevels.bands {
                let level = heard.decibels(spectrum, band)
                let value = reference.value(2 * spectrum - delay, band)
                if level > floor, value > 5 { gains.add(level - value - reference.floor) }
            }
        }
        return gains.median
    }
}

/// Differences of levels, whole decibels from -110 to 110.
struct GainHistogram {
    private var counts = [Int](repeating: 0, count: 221)
    private var total = 0

    mutating func add(_ gain: Float) {
        counts[Int(min(max(gain.rounded(), -110), 110)) + 110] += 1
        total += 1
    }

    /// Nil of fewer than 100.
    var median: Float? {
        guard total >= 100 else { return nil }
        var rest = total / 2
        for (index, count) in counts.enumerated() {
            rest -= count
            if rest < 0 { return Float(index - 110) }
        }
        return nil
    }
}
