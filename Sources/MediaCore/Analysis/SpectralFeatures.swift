/// Spectra prepared for comparison: decibels over a floor that lies below the recording's own loudest sound, with each
/// band's mean over time taken away.
struct SpectralFeatures {
    let count: Int
    let bands: Int
    /// Per spectrum and band, mean removed.
    let values: [Float]
    /// Per band.
    let means: [Float]
    let hasSound: Bool

    init(_ profile: SpectralProfile) {
        count = profile.count
        bands = SpectralProfile.bandCount
        let peak = Self.peak(profile)
        hasSound = peak > 60
        let floor = peak - SpectralMatch.range * 2
        var values = profile.levels.map { max(0, (Float($0) - floor) / (SpectralMatch.range * 2)) }
        Self.smooth(&values, count: count, bands: bands)
        means = Self.removeMeans(&values, count: count, bands: bands)
        self.values = values
    }

    private init(count: Int, bands: Int, values: [Float], means: [Float], hasSound: Bool) {
        (self.count, self.bands, self.values, self.means, self.hasSound) = (count, bands, values, means, hasSound)
    }

    /// Mean of six neighbouring bands each, for a quick search.
    func widened() -> SpectralFeatures {
        let width = 6
        let wide = bands / width
        var result = [Float](repeating: 0, count: count * wide)
        var wideMeans = [Float](repeating: 0, count: wide)
        for band in 0..<(wide * width) { wideMeans[band / width] += means[band] / Float(width) }
        for index in 0..<count {
            for band in 0..<(wide * width) {
                result[index * wide + band / width] += values[index * bands + band] / Float(width)
            }
        }
        return SpectralFeatures(count: count, bands: wide, values: result, means: wideMeans, hasSound: hasSound)
    }

    /// Sum of products over spectra `range` of this recording and those `offset` earlier of `source`.
    func product(_ source: SpectralFeatures, _ range: Range<Int>, offset: Int, stride: Int) -> Float {
        let first = max(range.lowerBound, offset)
        let end = min(range.upperBound, source.count + offset)
        var sum: Float = 0
        values.withUnsafeBufferPointer { own in
            source.values.withUnsafeBufferPointer { other in
                var index = first
                while index < end {
                    let a = index * bands
                    let b = (index - offset) * bands
                    var part: Float = 0
                    for band in 0..<bands { part += own[a + band] * other[b + band] }
                    sum += part
                    index += stride
                }
            }
        }
        return sum
    }

    /// The value at a place in `values`, with the band's mean put back: 0 for silence.
    func value(_ index: Int) -> Float { values[index] + means[index % bands] }

    /// Sum of squares over some spectra, means included.
    func energy(_ range: Range<Int>, stride: Int) -> Float {
        var sum: Float = 0
        for index in Swift.stride(from: range.lowerBound, to: range.upperBound, by: stride) {
            for band in 0..<bands {
                let value = values[index * bands + band] + means[band]
                sum += value * value
            }
        }
        return sum
    }

    /// Per band, the sum of products of the values of this recording and those of `source`, `offset` earlier.
    func products(_ source: SpectralFeatures, _ range: Range<Int>, offset: Int) -> [Float] {
        var sums = [Float](repeating: 0, count: bands)
        values.withUnsafeBufferPointer { own in
            source.values.withUnsafeBufferPointer { other in
                sums.withUnsafeMutableBufferPointer { sums in
                    for index in range {
                        let a = index * bands
                        let b = (index - offset) * bands
                        for band in 0..<bands {
                            sums[band] += (own[a + band] + means[band]) * (other[b + band] + source.means[band])
                        }
                    }
                }
            }
        }
        return sums
    }

    /// The loudest band of the spectra, but for the loudest hundredth of them.
    private static func peak(_ profile: SpectralProfile) -> Float {
        var histogram = [Int](repeating: 0, count: 256)
        for index in 0..<profile.count {
            let start = index * SpectralProfile.bandCount
            histogram[Int(profile.levels[start..<(start + SpectralProfile.bandCount)].max() ?? 0)] += 1
        }
        var beyond = profile.count / 100
        for level in Swift.stride(from: 255, through: 0, by: -1) {
            beyond -= histogram[level]
            if beyond < 0 { return Float(level) }
        }
        return 0
    }

    /// Weights 1, 2, 3, 2, 1 over time: what a codec at 24 kbit/s keeps of a sound's fine grain.
    private static func smooth(_ values: inout [Float], count: Int, bands: Int) {
        let weights: [Float] = [1, 2, 3, 2, 1]
        let original = values
        for index in 0..<count {
            let steps = max(-2, -index)...min(2, count - 1 - index)
            let total = steps.reduce(0) { $0 + weights[$1 + 2] }
            let row = index * bands
            for band in 0..<bands { values[row + band] = 0 }
            for step in steps {
                let weight = weights[step + 2] / total
                let other = row + step * bands
                for band in 0..<bands { values[row + band] += original[other + band] * weight }
            }
        }
    }

    private static func removeMeans(_ values: inout [Float], count: Int, bands: Int) -> [Float] {
        var means = [Float](repeating: 0, count: bands)
        for index in 0..<count {
            for band in 0..<bands { means[band] += values[index * bands + band] }
        }
        for band in 0..<bands { means[band] /= Float(max(count, 1)) }
        for index in 0..<count {
            for band in 0..<bands { values[index * bands + band] -= means[band] }
        }
        return means
    }
}
