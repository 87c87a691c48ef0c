import Glibc

/// Levels of 16 bands over time, each about as wide as the ear's critical bands: three bands of a `SpectralProfile` together,
/// between 80 Hz and 7 kHz. A byte is half a decibel over -110 dB of the full scale.
struct BandLevels: Sendable {
    /// Bands of one spectrum.
    static let bands = 16
    /// Samples at 48 kHz from one spectrum of a profile to the next, and in the window of one.
    static let hop = 480
    static let window = 1_536
    private static let merged = SpectralProfile.bandCount / bands
    /// Powers of half decibels.
    private static let powers: [Float] = (0..<256).map { Float(pow(10, Double($0) / 20)) }

    private(set) var levels: [UInt8] = []
    /// The number of the first spectrum that is still kept.
    private(set) var first = 0

    /// The number that the next spectrum will have.
    var end: Int { first + levels.count / Self.bands }

    /// Takes over the spectra of a profile, which forgets them.
    mutating func take(_ profile: inout SpectralProfile) {
        for index in 0..<profile.count { append(profile.levels, at: index * SpectralProfile.bandCount) }
        profile.removeAll()
    }

    /// Adds one spectrum of a profile.
    mutating func append(_ source: [UInt8], at start: Int) {
        for band in 0..<Self.bands {
            var sum: Float = 0
            for index in 0..<Self.merged { sum += Self.powers[Int(source[start + band * Self.merged + index])] }
            let level = 20 * log10(sum / Float(Self.merged))
            levels.append(UInt8(min(max(level.rounded(), 0), 255)))
        }
    }

    /// Decibels over -110 dB of the full scale; 0 for spectra that there are none of.
    @inline(__always)
    func decibels(_ spectrum: Int, _ band: Int) -> Float {
        let index = (spectrum - first) * Self.bands + band
        return levels.indices.contains(index) ? Float(levels[index]) / 2 : 0
    }

    /// The loudest band of a spectrum, in half decibels.
    func peak(_ spectrum: Int) -> UInt8 {
        let start = (spectrum - first) * Self.bands
        guard start >= 0, start + Self.bands <= levels.count else { return 0 }
        return levels[start..<(start + Self.bands)].max() ?? 0
    }

    /// The loudest band of all spectra but for the loudest hundredth of them, in decibels.
    var loudest: Float {
        var histogram = [Int](repeating: 0, count: 256)
        for spectrum in first..<end { histogram[Int(peak(spectrum))] += 1 }
        var beyond = (end - first) / 100
        for level in stride(from: 255, through: 0, by: -1) {
            beyond -= histogram[level]
            if beyond < 0 { return Float(level) / 2 }
        }
        return 0
    }

    /// Forgets what lies before a spectrum; in large pieces, so that it costs little.
    mutating func forget(before spectrum: Int) {
        let count = spectrum - first
        guard count >= 256 else { return }
        levels.removeFirst(min(count * Self.bands, levels.count))
        first = spectrum
    }
}
