import Synchronization

/// What an audio meter measured.
public struct AudioMeasurement: Sendable, Hashable {
    /// Seconds measured.
    public var duration = 0.0
    /// Root mean square relative to the full scale, 0...1, over everything.
    public var rms = 0.0
    /// The largest sample relative to the full scale, 0...1.
    public var peak = 0.0
    /// Level of the latest frame as RFC 6464 writes it: 0 (loudest) ... 127 (silence), in -dBov.
    public var level: UInt8 = 127
    /// The strongest frequency in Hz of the mean spectrum; nil for silence, which is below -60 dB of full scale.
    public var dominantHz: Double?
    /// The median pitch of voiced sound, 60...500 Hz; nil where there was none.
    public var pitchHz: Double?

    /// Makes the measurement of nothing.
    public init() {}
}

/// Measures level, strongest frequency and pitch of what a track plays. Stereo is measured as the mean of both channels.
///
/// Level and peak are those of every sample. Of more than two seconds of sound, frequency and pitch are those of samples of
/// it, 170 ms of each second: who listens to twenty tracks must have time for something else.
public final class AudioMeter: AudioSink {
    private let state = Mutex(State())

    fileprivate struct State {
        var spectrum = Spectrum(size: 8_192)
        var powers = [Float](repeating: 0, count: 4_097)
        var pitch = PitchTracker()
        var mono: [Int16] = []
        /// Samples of the window that is being filled.
        var pending: [Int16] = []
        /// Windows with sound, which were analyzed.
        var windows = 0
        /// Samples to pass over before the next window.
        var unheard = 0
        var sumOfSquares = 0.0
        var count = 0
        var peak: Int32 = 0
        var level: UInt8 = 127
    }

    /// Makes a meter that has heard nothing.
    public init() {}

    /// What was measured so far.
    public var measurement: AudioMeasurement { state.withLock { $0.measurement } }

    /// Forgets everything.
    public func reset() { state.withLock { $0 = State() } }

    /// Measures a frame.
    public func receive(_ frame: AudioFrame) {
        state.withLock { state in
            if frame.channels == 1 {
                frame.samples.withUnsafeBufferPointer { state.add($0) }
                return
            }
            var mono: [Int16] = []
            swap(&mono, &state.mono)
            frame.convert(to: 1, into: &mono)
            mono.withUnsafeBufferPointer { state.add($0) }
            swap(&mono, &state.mono)
        }
    }
}

extension AudioMeter.State {
    fileprivate mutating func add(_ samples: UnsafeBufferPointer<Int16>) {
        guard !samples.isEmpty else { return }
        let squares = Double(PCMLevel.sumOfSquares(samples))
        sumOfSquares += squares
        count += samples.count
        level = PCMLevel.level(rms: (squares / Double(samples.count)).squareRoot() / 32_768)
        for sample in samples { peak = max(peak, abs(Int32(sample))) }
        analyze(samples)
    }

    /// The first windows with sound are all analyzed, about two seconds.
    private static let thorough = 12
    /// Of those that follow, every sixth is.
    private static let stride = 6
    /// Mean square of samples below which a window is silent, -60 dB of full scale. Silence says nothing of a sound, and a
    /// short one that follows must not fall between two samples of it.
    private static let silence = 33.0 * 33

    /// Takes what the present window still lacks, and passes over what lies between two windows.
    private mutating func analyze(_ samples: UnsafeBufferPointer<Int16>) {
        var rest = samples[...]
        while !rest.isEmpty {
            let passed = min(unheard, rest.count)
            unheard -= passed
            rest = rest.dropFirst(passed)
            let part = UnsafeBufferPointer(rebasing: rest.prefix(spectrum.size - pending.count))
            pitch.add(part, weight: weight)
            pending.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if pending.count == spectrum.size { analyzeWindow() }
        }
    }

    /// How many windows the present one stands for.
    private var weight: Int { windows < Self.thorough ? 1 : Self.stride }

    private mutating func analyzeWindow() {
        defer { pending.removeAll(keepingCapacity: true) }
        let energy = pending.withUnsafeBufferPointer { Double(PCMLevel.sumOfSquares($0)) }
        guard energy >= Self.silence * Double(pending.count) else { return }
        spectrum.analyze(pending)
        for bin in powers.indices { powers[bin] += spectrum.powers[bin] * Float(weight) }
        windows += 1
        unheard = (weight - 1) * spectrum.size
    }

    fileprivate var measurement: AudioMeasurement {
        var result = AudioMeasurement()
        result.duration = Double(count) / Double(AudioFrame.sampleRate)
        result.rms = count > 0 ? (sumOfSquares / Double(count)).squareRoot() / 32_768 : 0
        result.peak = Double(peak) / 32_768
        result.level = level
        result.dominantHz = dominantFrequency
        result.pitchHz = pitch.median
        return result
    }

    /// From the mean of all full windows; from what there is before the first one is full.
    private var dominantFrequency: Double? {
        guard count < spectrum.size else { return spectrum.dominantFrequency(of: powers) }
        var spectrum = spectrum
        spectrum.analyze(pending)
        return spectrum.dominantFrequency(of: spectrum.powers)
    }
}
