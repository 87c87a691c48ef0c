/// The correlation of two recordings as a whole at any one lag, quickly: everything but the products between the two comes
/// from running sums.
struct SpectralLagSearch {
    private let received: SpectralFeatures
    private let source: SpectralFeatures
    private let receivedSums: RunningSums
    private let sourceSums: RunningSums

    init(_ received: SpectralFeatures, _ source: SpectralFeatures) {
        self.received = received
        self.source = source
        receivedSums = RunningSums(received)
        sourceSums = RunningSums(source)
    }

    /// Correlation of the recording with the source `lag` spectra earlier, -1...1; behind the source's end is silence.
    func correlation(_ lag: Int) -> Double {
        let first = max(0, lag)
        let end = received.count
        let shared = max(first, min(end, source.count + lag))
        guard end - first > received.count / 4, shared > first else { return 0 }
        let products = received.products(source, first..<shared, offset: lag)
        var sums = [SpectralCovariance.Moments](repeating: .init(), count: received.bands)
        for band in 0..<received.bands {
            let x = receivedSums.sum(band, first..<end)
            let y = sourceSums.sum(band, (first - lag)..<(shared - lag))
            sums[band] = .init(x: x.value, y: y.value, xx: x.square, yy: y.square, xy: Double(products[band]))
        }
        return SpectralCovariance.correlation(
            sums, count: Double(end - first), steadyShare: SpectralMatch.steadyShare)
    }
}

/// Sums of values and of their squares from the beginning, per band.
private struct RunningSums {
    private let bands: Int
    private var values: [Double]
    private var squares: [Double]

    init(_ features: SpectralFeatures) {
        bands = features.bands
        values = [Double](repeating: 0, count: (features.count + 1) * bands)
        squares = values
        for index in 0..<(features.count * bands) {
            let value = Double(features.value(index))
            values[index + bands] = values[index] + value
            squares[index + bands] = squares[index] + value * value
        }
    }

    func sum(_ band: Int, _ range: Range<Int>) -> (value: Double, square: Double) {
        let first = range.lowerBound * bands + band
        let end = range.upperBound * bands + band
        return (values[end] - values[first], squares[end] - squares[first])
    }
}
