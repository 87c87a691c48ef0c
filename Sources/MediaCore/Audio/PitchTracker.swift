/// Finds the pitch of a voice: autocorrelation of 50 ms stretches at 8 kHz, and the median over the voiced ones.
package struct PitchTracker: Sendable {
    /// Hz that a voice may have.
    package static let range = 60.0...500.0

    private static let decimation = 6
    private static let rate = 8_000.0
    private static let windowSize = 400
    private static let shortestLag = Int(rate / range.upperBound)
    private static let longestLag = Int(rate / range.lowerBound)

    private var window = [Float](repeating: 0, count: windowSize)
    private var filled = 0
    private var scores = [Float](repeating: 0, count: longestLag + 1)
    private var sum: Int32 = 0
    private var summed = 0
    /// Voiced stretches per Hz.
    private var histogram = [Int](repeating: 0, count: 512)
    private var voiced = 0

    package init() {}

    /// The median pitch in Hz; nil before anything voiced was heard.
    package var median: Double? {
        guard voiced > 0 else { return nil }
        var seen = 0
        for (hertz, count) in histogram.enumerated() {
            seen += count
            if 2 * seen >= voiced { return Double(hertz) }
        }
        return nil
    }

    /// Takes mono samples at 48 kHz.
    ///
    /// - Parameter weight: how many stretches one stands for.
    package mutating func add(_ samples: UnsafeBufferPointer<Int16>, weight: Int = 1) {
        for sample in samples {
            sum += Int32(sample)
            summed += 1
            guard summed == Self.decimation else { continue }
            window[filled] = Float(sum) / Float(Self.decimation)
            (sum, summed) = (0, 0)
            filled += 1
            guard filled == Self.windowSize else { continue }
            filled = 0
            if let pitch = pitch() {
                histogram[min(max(Int(pitch.rounded()), 0), histogram.count - 1)] += weight
                voiced += weight
            }
        }
    }

    /// The pitch of the full window; nil where it is quiet or noisy.
    private mutating func pitch() -> Double? {
        guard window.withUnsafeBufferPointer({ Self.correlate($0, into: &scores) }) else { return nil }
        guard let best = scores.max(), best > 0.7 else { return nil }
        // Multiples of the period fit as well; the shortest good one is the pitch.
        guard let first = scores.firstIndex(where: { $0 > 0.9 * best }) else { return nil }
        var lag = first
        while lag < Self.longestLag, scores[lag + 1] > scores[lag] { lag += 1 }
        return Self.rate / (Double(lag) + Self.offset(scores, lag))
    }

    /// Scores each lag by how alike the window and its shifted self are, -1...1; false where the window is quiet.
    private static func correlate(_ window: UnsafeBufferPointer<Float>, into scores: inout [Float]) -> Bool {
        let count = window.count - longestLag
        let energy = product(window, 0, 0, count)
        guard energy / Float(count) > 10_000 else { return false }
        var shifted = product(window, shortestLag, shortestLag, count)
        for lag in shortestLag...longestLag {
            defer {
                // The shifted stretch loses its first sample and gains one behind it.
                if lag < longestLag {
                    shifted += window[lag + count] * window[lag + count] - window[lag] * window[lag]
                }
            }
            scores[lag] = shifted > 0 ? product(window, 0, lag, count) / (energy * shifted).squareRoot() : 0
        }
        return true
    }

    /// The scalar product of two stretches of the window.
    private static func product(_ window: UnsafeBufferPointer<Float>, _ a: Int, _ b: Int, _ count: Int) -> Float {
        guard let base = window.baseAddress else { return 0 }
        let (left, right) = (UnsafeRawPointer(base + a), UnsafeRawPointer(base + b))
        let lanes = SIMD8<Float>.scalarCount
        var sums = SIMD8<Float>.zero
        var index = 0
        while index + lanes <= count {
            let offset = index * MemoryLayout<Float>.stride
            sums +=
                left.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                * right.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
            index += lanes
        }
        var sum = sums.sum()
        while index < count {
            sum += window[a + index] * window[b + index]
            index += 1
        }
        return sum
    }

    /// The summit of a parabola through three scores, -0.5...0.5.
    private static func offset(_ scores: [Float], _ lag: Int) -> Double {
        guard lag > shortestLag, lag < longestLag else { return 0 }
        let (below, here, above) = (Double(scores[lag - 1]), Double(scores[lag]), Double(scores[lag + 1]))
        let curvature = below - 2 * here + above
        guard curvature < 0 else { return 0 }
        return min(max(0.5 * (below - above) / curvature, -0.5), 0.5)
    }
}
