/// Known sound, prepared so that what others hear of it can be compared with it.
public struct ReferenceSound: Sendable {
    /// The longest one, in seconds.
    public static let maximumSeconds = 120.0
    /// Spectra this far below the loudest ones count as silence, dB.
    static let range: Float = 40

    /// Spectra before the beginning, whose windows reach into the sound.
    static let lead = 8

    /// Spectra every 5 ms, half the distance of those that they are compared with; ``lead`` of them before the sound.
    private let levels: BandLevels
    private let count: Int
    private let repeats: Bool
    /// What counts as silence, in decibels as `BandLevels` has them.
    let floor: Float

    /// Prepares sound.
    ///
    /// - Parameters:
    ///   - samples: 48 kHz, mono; at most ``maximumSeconds``, the rest is left out.
    ///   - repeats: whether it is played over and over, without a pause.
    public init(_ samples: [Int16], repeats: Bool = false) {
        let limit = Int(Self.maximumSeconds) * AudioFrame.sampleRate
        let kept = samples.count > limit ? Array(samples[..<limit]) : samples
        var levels = BandLevels()
        // What follows the end is the beginning again, or silence.
        let tail = repeats ? Array(kept.prefix(BandLevels.window)) : []
        func silence(_ count: Int) -> [Int16] { [Int16](repeating: 0, count: count) }
        let padded =
            silence(Self.lead * BandLevels.hop / 2) + kept + tail + silence(2 * BandLevels.window - tail.count)
        var profiles = (SpectralProfile(), SpectralProfile())
        profiles.0.append(padded)
        padded.withUnsafeBufferPointer { samples in
            guard samples.count > BandLevels.hop / 2 else { return }
            profiles.1.append(UnsafeBufferPointer(rebasing: samples[(BandLevels.hop / 2)...]), channels: 1)
        }
        let count = kept.count / (BandLevels.hop / 2)
        for index in 0..<(Self.lead + count) {
            let profile = index & 1 == 0 ? profiles.0 : profiles.1
            guard index / 2 < profile.count else { break }
            levels.append(profile.levels, at: index / 2 * SpectralProfile.bandCount)
        }
        self.levels = levels
        self.count = count
        self.repeats = repeats
        floor = max(levels.loudest - Self.range, 1)
    }

    /// Prepares a WAV file; of two channels their mean is compared.
    ///
    /// Throws `MediaError` where it can't be read, is longer than ``maximumSeconds`` or has nothing in it.
    public init(wav path: String, repeats: Bool = true) throws(MediaError) {
        let source = try WAVSource(path: path)
        let limit = Int(Self.maximumSeconds) * AudioFrame.sampleRate
        var samples: [Int16] = []
        var piece = [Int16](repeating: 0, count: AudioFrame.sampleRate * source.channels)
        while samples.count <= limit {
            let read = piece.withUnsafeMutableBufferPointer { source.read(into: $0) }
            guard read > 0 else { break }
            samples += (0..<read).map { frame in
                let sum = (0..<source.channels).reduce(Int32(0)) { $0 + Int32(piece[frame * source.channels + $1]) }
                return Int16(clamping: sum / Int32(source.channels))
            }
        }
        if let failure = source.failure { throw failure }
        guard samples.count <= limit else {
            throw MediaError(
                .argument, path, "is longer than \(Int(Self.maximumSeconds)) s", remedy: "cut the file shorter")
        }
        guard PCMLevel.rms(samples) > 0.0003 else {
            throw MediaError(.argument, path, "holds no sound to compare with", remedy: "choose another file")
        }
        self.init(samples, repeats: repeats)
    }

    /// How many places sound can be found at, 5 ms each.
    var places: Int { count }

    /// The place that stands for `spectrum`, which counts on over repetitions; nil where there is silence.
    @inline(__always)
    private func place(_ spectrum: Int) -> Int? {
        guard repeats, count > 0 else { return spectrum >= -Self.lead && spectrum < count ? spectrum : nil }
        let rest = spectrum % count
        return rest < 0 ? rest + count : rest
    }

    /// The level of a band over the floor, dB, 0 for silence.
    @inline(__always)
    func value(_ spectrum: Int, _ band: Int) -> Float {
        guard let place = place(spectrum) else { return 0 }
        return max(0, levels.decibels(place + Self.lead, band) - floor)
    }
}
