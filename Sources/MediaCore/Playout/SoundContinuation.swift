/// Goes on with sound where packets are missing: plays the latest pitch period over and over, softer each time, and fades into
/// what follows (in the manner of ITU-T G.711, appendix I). A value.
///
/// Opus's own concealment fell by some 20 dB in each 20 ms in recordings: a gap of two packets was heard as a hole.
struct SoundContinuation {
    /// What is looked at for the period, samples per channel: 40 ms.
    private static let span = 1_920
    /// Periods from 2.5 to 15 ms.
    private static let lags = 120...720
    /// Sound that is compared with what was a period before it, 10 ms.
    private static let window = 480
    private static let decimation = 4
    /// Of a normalized correlation: above it sound has a pitch.
    private static let voiced: Float = 0.6
    /// Softer to nothing within so many samples: 200 ms, and 50 where there is no pitch, for noise that repeats itself buzzes.
    private static let fade: (voiced: Float, unvoiced: Float) = (9_600, 2_400)
    /// Both sound where one follows the other: 5 ms.
    private static let seam = 240

    let channels: Int
    /// The latest sound from packets, interleaved; made with the first.
    private var history: [Int16] = []
    private var mono: [Float] = []
    /// One period, whose end leads to its beginning; empty while nothing is invented.
    private var period: [Int16] = []
    private var isVoiced = false
    /// Samples per channel that have been invented of it.
    private var invented = 0

    init(channels: Int) { self.channels = channels }

    /// Takes in sound from a packet.
    mutating func keep(_ sound: UnsafeMutableBufferPointer<Int16>) {
        end()
        let size = Self.span * channels
        if history.isEmpty { history = [Int16](repeating: 0, count: size) }
        let new = min(sound.count, size)
        history.withUnsafeMutableBufferPointer { history in
            guard let base = history.baseAddress, let source = sound.baseAddress else { return }
            base.update(from: base + new, count: size - new)
            (base + size - new).update(from: source + (sound.count - new), count: new)
        }
    }

    /// Invents what follows; false where nothing was played before.
    mutating func goOn(_ target: UnsafeMutableBufferPointer<Int16>) -> Bool {
        guard !history.isEmpty else { return false }
        if period.isEmpty { begin() }
        for frame in 0..<(target.count / channels) {
            for channel in 0..<channels { target[frame * channels + channel] = next(frame, channel) }
        }
        invented += target.count / channels
        return true
    }

    /// Fades from what is invented into `sound`, which comes from packets; leaves it alone where nothing is.
    mutating func merge(into sound: UnsafeMutableBufferPointer<Int16>) {
        guard !period.isEmpty else { return }
        let frames = min(Self.seam, sound.count / channels)
        for frame in 0..<frames {
            let share = (Float(frame) + 0.5) / Float(frames)
            for channel in 0..<channels {
                let index = frame * channels + channel
                sound[index] = Self.sample(
                    Float(sound[index]) * share + Float(next(frame, channel)) * (1 - share))
            }
        }
        end()
    }

    private mutating func end() {
        period.removeAll(keepingCapacity: true)
        invented = 0
    }

    /// The sample so many frames ahead.
    private func next(_ frame: Int, _ channel: Int) -> Int16 {
        let place = invented + frame
        let gain = max(0, 1 - Float(place) / (isVoiced ? Self.fade.voiced : Self.fade.unvoiced))
        let count = period.count / channels
        return Self.sample(Float(period[place % count * channels + channel]) * gain)
    }

    private static func sample(_ value: Float) -> Int16 { Int16(max(-32_768, min(32_767, value.rounded()))) }

    // MARK: The period

    private mutating func begin() {
        invented = 0
        mixDown()
        let (lag, correlation) = findPeriod()
        isVoiced = correlation >= Self.voiced
        // Of noise the longest stretch repeats itself least.
        let length = isVoiced ? lag : Self.lags.upperBound
        let start = (Self.span - length) * channels
        period.append(contentsOf: history[start...])
        // Its end leads into its beginning: it fades into what stood before that.
        let seam = length / 4
        for frame in 0..<seam {
            let share = (Float(frame) + 0.5) / Float(seam)
            for channel in 0..<channels {
                let index = (length - seam + frame) * channels + channel
                let before = history[start - (seam - frame) * channels + channel]
                period[index] = Self.sample(Float(period[index]) * (1 - share) + Float(before) * share)
            }
        }
    }

    private mutating func mixDown() {
        if mono.isEmpty { mono = [Float](repeating: 0, count: Self.span) }
        for frame in 0..<Self.span {
            var sum: Float = 0
            for channel in 0..<channels { sum += Float(history[frame * channels + channel]) }
            mono[frame] = sum
        }
    }

    private func findPeriod() -> (lag: Int, correlation: Float) {
        var best = (lag: Self.lags.upperBound, correlation: -Float.infinity)
        for lag in stride(from: Self.lags.lowerBound, through: Self.lags.upperBound, by: Self.decimation) {
            let value = correlation(lag, step: Self.decimation)
            // Of multiples of a period, which are as alike, the first is taken.
            if value > best.correlation + 0.01 { best = (lag, value) }
        }
        let around = max(Self.lags.lowerBound, best.lag - 3)...min(Self.lags.upperBound, best.lag + 3)
        best.correlation = -Float.infinity
        for lag in around {
            let value = correlation(lag, step: 1)
            if value > best.correlation { best = (lag, value) }
        }
        return best
    }

    /// Normalized correlation of the latest sound with what was `lag` samples before it.
    private func correlation(_ lag: Int, step: Int) -> Float {
        var product: Float = 0
        var early: Float = 1
        var late: Float = 1
        for index in stride(from: Self.span - Self.window, to: Self.span, by: step) {
            let (a, b) = (mono[index], mono[index - lag])
            product += a * b
            late += a * a
            early += b * b
        }
        return product / (early * late).squareRoot()
    }
}
