/// Shortens or lengthens a stretch of sound by one pitch period without changing its pitch.
///
/// The waveform-similarity method (WSOLA): the lag at which the signal resembles itself most is cut out, or played
/// twice, and the seam is cross-faded over the length of the lag. Sound that resembles itself at no lag is left alone,
/// unless it is so quiet that a seam can't be heard.
struct TimeStretcher {
    /// Samples that are looked at: 20 ms.
    static let span = 960
    /// Pitch periods from 2.5 ms; up to 10 ms, half the span.
    private static let shortestLag = 120
    /// The search works on every fourth sample.
    private static let decimation = 4
    /// Mean square below which sound counts as quiet: -60 dBov.
    private static let quiet: Float = 1_074

    /// Made at the first use: most streams never need it.
    private var mono: [Float] = []
    private var coarse: [Float] = []

    /// Cuts one period out of the first `frames` samples per channel.
    ///
    /// - Parameter similarity: normalized correlation that the seam needs, 0...1.
    /// - Returns: samples per channel removed, 0 where no lag fits. What stands behind them in `sound` has moved up.
    mutating func accelerate(
        _ sound: UnsafeMutableBufferPointer<Int16>, frames: Int, channels: Int, similarity: Float
    ) -> Int {
        guard let lag = seam(sound, frames: frames, channels: channels, similarity: similarity) else { return 0 }
        guard let base = sound.baseAddress else { return 0 }
        crossfade(from: base, to: base + lag * channels, into: base, frames: lag, channels: channels)
        let rest = (frames - 2 * lag) * channels
        (base + lag * channels).update(from: base + 2 * lag * channels, count: rest)
        return lag
    }

    /// Plays one period of the first `frames` samples per channel twice; `sound` has room for 480 more.
    ///
    /// - Returns: samples per channel added, 0 where no lag fits.
    mutating func expand(
        _ sound: UnsafeMutableBufferPointer<Int16>, frames: Int, channels: Int, similarity: Float
    ) -> Int {
        guard let lag = seam(sound, frames: frames, channels: channels, similarity: similarity),
            let base = sound.baseAddress, sound.count >= (frames + lag) * channels
        else { return 0 }
        // Old:  a b rest     New:  a (b fading into a) b rest
        (base + 2 * lag * channels).update(from: base + lag * channels, count: (frames - lag) * channels)
        crossfade(
            from: base + 2 * lag * channels, to: base, into: base + lag * channels, frames: lag, channels: channels)
        return lag
    }

    private mutating func seam(
        _ sound: UnsafeMutableBufferPointer<Int16>, frames: Int, channels: Int, similarity: Float
    ) -> Int? {
        let count = min(frames, Self.span)
        guard count >= 4 * Self.shortestLag, sound.count >= count * channels else { return nil }
        if mono.isEmpty {
            mono = [Float](repeating: 0, count: Self.span)
            coarse = [Float](repeating: 0, count: Self.span / Self.decimation)
        }
        mixDown(sound, count, channels)
        if meanSquare(count) < Self.quiet { return count / 2 }
        let lag = refine(coarseLag(count), count)
        return correlation(mono, lag: lag, length: count / 2) >= similarity ? lag : nil
    }

    private mutating func mixDown(_ sound: UnsafeMutableBufferPointer<Int16>, _ count: Int, _ channels: Int) {
        for frame in 0..<count {
            var sum: Float = 0
            for channel in 0..<channels { sum += Float(sound[frame * channels + channel]) }
            mono[frame] = sum / Float(channels)
        }
        for index in 0..<(count / Self.decimation) {
            let start = index * Self.decimation
            coarse[index] = mono[start] + mono[start + 1] + mono[start + 2] + mono[start + 3]
        }
    }

    private func meanSquare(_ count: Int) -> Float {
        var sum: Float = 0
        for index in 0..<count { sum += mono[index] * mono[index] }
        return sum / Float(count)
    }

    private func coarseLag(_ count: Int) -> Int {
        let half = count / 2 / Self.decimation
        var best = half
        var highest = -Float.infinity
        for lag in (Self.shortestLag / Self.decimation)...half {
            let value = correlation(coarse, lag: lag, length: half)
            if value > highest { (best, highest) = (lag, value) }
        }
        return best * Self.decimation
    }

    private func refine(_ lag: Int, _ count: Int) -> Int {
        let range = max(Self.shortestLag, lag - 3)...min(count / 2, lag + 3)
        var best = lag
        var highest = -Float.infinity
        for candidate in range {
            let value = correlation(mono, lag: candidate, length: count / 2)
            if value > highest { (best, highest) = (candidate, value) }
        }
        return best
    }

    /// Normalized correlation of the signal with itself `lag` later, over `length` samples.
    private func correlation(_ signal: [Float], lag: Int, length: Int) -> Float {
        signal.withUnsafeBufferPointer { signal in
            guard lag + length <= signal.count else { return -1 }
            var product: Float = 0
            var early: Float = 1
            var late: Float = 1
            for index in 0..<length {
                let a = signal[index]
                let b = signal[index + lag]
                product += a * b
                early += a * a
                late += b * b
            }
            return product / (early * late).squareRoot()
        }
    }

    private func crossfade(
        from old: UnsafePointer<Int16>, to new: UnsafePointer<Int16>, into target: UnsafeMutablePointer<Int16>,
        frames: Int, channels: Int
    ) {
        let step = 1 / Float(frames)
        for frame in 0..<frames {
            let share = (Float(frame) + 0.5) * step
            for channel in 0..<channels {
                let index = frame * channels + channel
                let value = Float(old[index]) * (1 - share) + Float(new[index]) * share
                target[index] = Int16(max(-32_768, min(32_767, value.rounded())))
            }
        }
    }
}
