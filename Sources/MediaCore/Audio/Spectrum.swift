import Glibc

/// The power spectrum of a short stretch of sound: Hann window, then an FFT. Scratch memory is made once.
///
/// Powers are scaled so that a full-scale sine that fits the window gives 1 at its bin.
package struct Spectrum: Sendable {
    /// Samples in one stretch, a power of two.
    package let size: Int
    /// Sample rate in Hz.
    package let sampleRate: Double
    /// Powers of the latest stretch, one per bin from 0 Hz to half the sample rate: `size / 2 + 1` values.
    package private(set) var powers: [Float]

    private let transform: FourierTransform
    private let window: [Float]
    private var real: [Float]
    private var imaginary: [Float]

    /// - Parameter size: rounded up to a power of two, at most 65,536.
    package init(size: Int, sampleRate: Double = 48_000) {
        transform = FourierTransform(size: max(16, size))
        let count = transform.size
        self.size = count
        self.sampleRate = sampleRate
        // The factor 2 / sum(window) over the full scale makes a full-scale sine read 1.
        let hann = (0..<count).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(count)) }
        let scale = 2 / (hann.reduce(0, +) * 32_768)
        window = hann.map { Float($0 * scale) }
        powers = [Float](repeating: 0, count: count / 2 + 1)
        real = [Float](repeating: 0, count: count)
        imaginary = real
    }

    /// Hz from one bin to the next.
    package var binWidth: Double { sampleRate / Double(size) }

    /// Computes ``powers`` of `samples`: mono, at most ``size`` of them, the rest counts as silence.
    package mutating func analyze(_ samples: UnsafeBufferPointer<Int16>) {
        let count = min(samples.count, size)
        for index in 0..<count { real[index] = Float(samples[index]) * window[index] }
        for index in count..<size { real[index] = 0 }
        for index in 0..<size { imaginary[index] = 0 }
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                guard let re = real.baseAddress, let im = imaginary.baseAddress else { return }
                transform.transform(re, im)
            }
        }
        for bin in powers.indices { powers[bin] = real[bin] * real[bin] + imaginary[bin] * imaginary[bin] }
    }

    /// Computes ``powers`` of an array of mono samples.
    package mutating func analyze(_ samples: [Int16]) { samples.withUnsafeBufferPointer { analyze($0) } }

    /// The strongest frequency of the latest stretch in Hz; nil when the range lies below -70 dB of the full scale.
    package func dominantFrequency(in range: ClosedRange<Double> = 50...20_000) -> Double? {
        dominantFrequency(of: powers, in: range)
    }

    /// The strongest frequency in Hz of powers laid out as ``powers`` are, for example a sum of several stretches: the
    /// summit of a parabola through the logarithms of three bins. Nil when the range lies below -70 dB.
    package func dominantFrequency(
        of powers: [Float], in range: ClosedRange<Double> = 50...20_000
    ) -> Double? {
        let first = max(1, Int((range.lowerBound / binWidth).rounded(.up)))
        let last = min(powers.count - 2, Int(range.upperBound / binWidth))
        guard first <= last else { return nil }
        var peak = first
        for bin in first...last where powers[bin] > powers[peak] { peak = bin }
        guard powers[peak] > 1e-7 else { return nil }
        return (Double(peak) + Self.offset(powers, around: peak)) * binWidth
    }

    /// How far the summit lies from the middle of its bin, -0.5...0.5.
    private static func offset(_ powers: [Float], around peak: Int) -> Double {
        let below = log(Double(powers[peak - 1]) + 1e-20)
        let here = log(Double(powers[peak]) + 1e-20)
        let above = log(Double(powers[peak + 1]) + 1e-20)
        let curvature = below - 2 * here + above
        guard curvature < 0 else { return 0 }
        return min(max(0.5 * (below - above) / curvature, -0.5), 0.5)
    }
}
