/// Second moments of two sets of spectra along the path of alignment, per band.
struct SpectralCovariance {
    private var count = 0.0
    private var sums = [Moments](repeating: Moments(), count: SpectralProfile.bandCount)

    /// Sums of one band.
    struct Moments {
        var x = 0.0
        var y = 0.0
        var xx = 0.0
        var yy = 0.0
        var xy = 0.0
    }

    mutating func add(_ received: SpectralFeatures, _ source: SpectralFeatures, _ range: Range<Int>, offset: Int) {
        for index in Swift.stride(from: range.lowerBound, to: range.upperBound, by: SpectralMatch.stride) {
            let other = index - offset
            // The recording began before the source, which says nothing about either.
            guard other >= 0 else { continue }
            count += 1
            for band in 0..<received.bands {
                let x = Double(received.values[index * received.bands + band] + received.means[band])
                let y =
                    other < source.count ? Double(source.values[other * source.bands + band] + source.means[band]) : 0
                sums[band].x += x
                sums[band].y += y
                sums[band].xx += x * x
                sums[band].yy += y * y
                sums[band].xy += x * y
            }
        }
    }

    /// Correlation over time within the bands, with a share of that between the bands' means.
    func correlation(steadyShare: Double) -> Double {
        Self.correlation(sums, count: count, steadyShare: steadyShare)
    }

    static func correlation(_ sums: [Moments], count: Double, steadyShare: Double) -> Double {
        guard count > 1 else { return 0 }
        let bands = Double(sums.count)
        let meanX = sums.reduce(0) { $0 + $1.x } / (count * bands)
        let meanY = sums.reduce(0) { $0 + $1.y } / (count * bands)
        var (xx, yy, xy) = (0.0, 0.0, 0.0)
        for sum in sums {
            let (x, y) = (sum.x / count, sum.y / count)
            xx += sum.xx / count - x * x + steadyShare * (x - meanX) * (x - meanX)
            yy += sum.yy / count - y * y + steadyShare * (y - meanY) * (y - meanY)
            xy += sum.xy / count - x * y + steadyShare * (x - meanX) * (y - meanY)
        }
        let scale = (xx * yy).squareRoot()
        return scale > 1e-9 ? xy / scale : 0
    }
}
