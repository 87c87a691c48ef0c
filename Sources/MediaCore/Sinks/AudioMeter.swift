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
    /// The strongest frequency in Hz of the mean spectrum; nil for silence.
    public var dominantHz: Double?
    /// The median pitch of voiced sound, 60...500 Hz; nil where there was none.
    public var pitchHz: Double?

    /// Makes the measurement of nothing.
    public init() {}
}

/// Measures level, strongest frequency and pitch of what a track plays. Stereo is measured as the mean of both channels.
public final class AudioMeter: AudioSink {
    private let state = Mutex(State())

    fileprivate struct State {
        var spectrum = Spectrum(size: 8_192)
        var powers = [Float](repeating: 0, count: 4_097)
        var pitch = PitchTracker()
        var mono: [Int16] = []
        var pending: [Int16] = []
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
        pitch.add(samples)
        pending.append(contentsOf: samples)
        analyzeFullWindows()
    }

    private mutating func analyzeFullWindows() {
        var start = 0
        while pending.count - start >= spectrum.size {
            pending.withUnsafeBufferPointer { pending in
                spectrum.analyze(UnsafeBufferPointer(rebasing: pending[start..<start + spectrum.size]))
            }
            for bin in powers.indices { powers[bin] += spectrum.powers[bin] }
            start += spectrum.size
        }
        if start > 0 { pending.removeFirst(start) }
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
