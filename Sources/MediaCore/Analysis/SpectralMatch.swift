/// How alike two recordings are: the correlation of their short-time spectra after alignment.
///
/// Unlike a comparison of waveforms it survives lossy coding, changes of gain, and a jitter buffer that stretches time.
/// Pauses count as much as sound: who is silent where the other speaks doesn't match. Each band's own mean over time is
/// taken away first, so that two voices don't match merely because all speech has the same long-term spectrum; a small
/// share of the means themselves tells steady tones apart.
package struct SpectralMatch: Hashable, Sendable {
    /// 0 (nothing in common) ... 1 (the same).
    package let similarity: Double
    /// Seconds by which the recording is later than the source, resolution 10 ms.
    package let lag: Double

    /// Levels this far below a recording's loudest count as silence, dB.
    static let range: Float = 45
    /// The weight of the long-term spectrum.
    static let steadyShare = 0.1
    /// Spectra of the recording that are compared: every second one.
    static let stride = 2
    /// Spectra that share one time offset: 1 s.
    static let segment = 100
    /// How far the offset may move from one segment to the next: 30 ms.
    static let drift = 3

    /// Compares a recording with a source.
    ///
    /// - Parameter maximumLag: how far the two may be apart, either way, in seconds.
    package init(received: SpectralProfile, source: SpectralProfile, maximumLag: Double = 0.5) {
        let received = SpectralFeatures(received)
        let source = SpectralFeatures(source)
        guard received.count > 0, source.count > 0, received.hasSound, source.hasSound else {
            (similarity, lag) = (0, 0)
            return
        }
        let limit = min(Int(max(0, maximumLag) / SpectralProfile.hop), 6_000)
        let coarse = Self.coarseLag(received, source, limit)
        var path = SpectralCovariance()
        var offset = coarse
        for start in Swift.stride(from: 0, to: received.count, by: Self.segment) {
            let end = min(start + Self.segment, received.count)
            offset = Self.bestOffset(received, source, start..<end, around: offset)
            path.add(received, source, start..<end, offset: offset)
        }
        similarity = max(0, min(1, path.correlation(steadyShare: Self.steadyShare)))
        lag = Double(coarse) * SpectralProfile.hop
    }

    /// The similarity of two recordings of mono 48 kHz PCM. Who compares one with many makes the profiles once instead.
    package static func similarity(_ received: [Int16], _ source: [Int16], maximumLag: Double = 0.5) -> Double {
        var profiles = (received: SpectralProfile(), source: SpectralProfile())
        profiles.received.append(received)
        profiles.source.append(source)
        return SpectralMatch(
            received: profiles.received, source: profiles.source, maximumLag: maximumLag
        ).similarity
    }

    /// The best lag over the whole recording, found on eight wide bands and then on all.
    private static func coarseLag(_ received: SpectralFeatures, _ source: SpectralFeatures, _ limit: Int) -> Int {
        let first = limit / 2 * 2
        let search = SpectralLagSearch(received.widened(), source.widened())
        let near = best(of: Swift.stride(from: -first, through: first, by: 2)) { search.correlation($0) }
        let fine = SpectralLagSearch(received, source)
        return best(of: Swift.stride(from: near - 3, through: near + 3, by: 1)) { fine.correlation($0) }
    }

    /// The lag with the highest value. Of equal ones the smallest: a steady sound has many.
    private static func best(of lags: StrideThrough<Int>, _ value: (Int) -> Double) -> Int {
        var best = 0
        var highest = -Double.infinity
        for lag in lags {
            let present = value(lag)
            if present > highest + 1e-4 || (present > highest - 1e-4 && abs(lag) < abs(best)) {
                (best, highest) = (lag, max(present, highest))
            }
        }
        return best
    }

    /// The offset of one segment near that of the segment before.
    private static func bestOffset(
        _ received: SpectralFeatures, _ source: SpectralFeatures, _ range: Range<Int>, around offset: Int
    ) -> Int {
        var best = offset
        // A sound too steady to tell one offset from another keeps the one it has.
        let gain = received.energy(range, stride: stride) * 0.005
        var highest = received.product(source, range, offset: offset, stride: stride) + gain
        for candidate in (offset - drift)...(offset + drift) where candidate != offset {
            let value = received.product(source, range, offset: candidate, stride: stride)
            if value > highest { (best, highest) = (candidate, value) }
        }
        return best
    }
}
