import Glibc

/// The short-time spectra of a recording in a compact form, made while the sound comes in.
///
/// Every 10 ms a stretch of 32 ms at 16 kHz is reduced to the mean powers of 48 bands between 80 Hz and 7 kHz: single
/// bins of the Fourier transform at the low end, where voices differ by their harmonics, and wider ones above. One byte
/// per band: 4.8 kB a second.
package struct SpectralProfile: Sendable {
    /// Bands per spectrum.
    package static let bandCount = 48
    /// Seconds from one spectrum to the next.
    package static let hop = 0.01
    static let samplesPerHop = 160
    private static let window = 512
    private static let binWidth = 31.25
    /// A byte stands for half a decibel over -110 dB of full scale.
    private static let faintest: Float = -110

    /// Spectra so far.
    package private(set) var count = 0
    /// Band powers: 0 for -110 dBFS and below, 2 per decibel; `bandCount` per spectrum.
    private(set) var levels: [UInt8] = []

    private var decimator = Decimator()
    private var pending: [Int16] = []
    private var spectrum = Spectrum(size: window, sampleRate: 16_000)

    package init() {}

    /// Takes in 48 kHz PCM, interleaved.
    package mutating func append(_ samples: UnsafeBufferPointer<Int16>, channels: Int) {
        decimator.append(samples, channels: max(1, channels), to: &pending)
        var start = 0
        pending.withUnsafeBufferPointer { pending in
            while pending.count - start >= Self.window {
                spectrum.analyze(UnsafeBufferPointer(rebasing: pending[start..<(start + Self.window)]))
                record()
                start += Self.samplesPerHop
            }
        }
        pending.removeFirst(start)
    }

    /// Takes in an array.
    package mutating func append(_ samples: [Int16], channels: Int = 1) {
        samples.withUnsafeBufferPointer { append($0, channels: channels) }
    }

    /// Forgets the spectra so far, but not the sound that has not filled one yet.
    mutating func removeAll() {
        levels.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Edges of the bands in bins: band `b` covers `edges[b]..<edges[b + 1]`.
    private static let edges: [Int] = {
        // Steps grow by a tenth once that is more than one bin.
        var edges = [3]
        let growth = 1.062
        var position = 3.0
        while edges.count <= bandCount {
            position = max(position + 1, position * growth)
            edges.append(Int(position.rounded()))
        }
        return edges
    }()

    private mutating func record() {
        for band in 0..<Self.bandCount {
            var sum: Float = 0
            let first = Self.edges[band]
            let end = min(Self.edges[band + 1], spectrum.powers.count)
            for bin in first..<max(end, first) { sum += spectrum.powers[bin] }
            let decibels = 10 * log10(sum / Float(max(end - first, 1)) + 1e-12)
            levels.append(UInt8(min(max((decibels - Self.faintest) * 2, 0), 255)))
        }
        count += 1
    }
}

/// 48 kHz to 16 kHz, mono, through a low-pass filter of 21 taps.
struct Decimator: Sendable {
    private static let taps = 21
    /// A Hann-windowed sinc with its corner at 7 kHz, sum 1.
    private static let filter: [Float] = {
        let middle = Double(taps - 1) / 2
        let corner = 7_000.0 / 48_000
        let values = (0..<taps).map { tap in
            let x = Double(tap) - middle
            let sinc = x == 0 ? 2 * corner : sin(2 * Double.pi * corner * x) / (Double.pi * x)
            return sinc * (0.5 + 0.5 * cos(Double.pi * x / (middle + 1)))
        }
        let sum = values.reduce(0, +)
        return values.map { Float($0 / sum) }
    }()

    private var history = [Float](repeating: 0, count: Decimator.taps)

    /// Appends the result of whole groups of three samples to `output`; the rest waits for the next call.
    mutating func append(_ samples: UnsafeBufferPointer<Int16>, channels: Int, to output: inout [Int16]) {
        for frame in 0..<(samples.count / channels) {
            var sum: Float = 0
            for channel in 0..<channels { sum += Float(samples[frame * channels + channel]) }
            history.append(sum / Float(channels))
        }
        var start = 0
        history.withUnsafeBufferPointer { history in
            Self.filter.withUnsafeBufferPointer { filter in
                while start + Self.taps + 3 <= history.count {
                    var value: Float = 0
                    for tap in 0..<Self.taps { value += history[start + tap] * filter[tap] }
                    output.append(Int16(max(-32_768, min(32_767, value.rounded()))))
                    start += 3
                }
            }
        }
        history.removeFirst(start)
    }
}
