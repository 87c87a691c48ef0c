/// One input of a mixer; keeps what has to stay smooth from one frame to the next.
package struct MixerInput: Hashable, Sendable {
    /// The gain wanted, as a factor; a change is spread over the next frame.
    package var gain: Float
    fileprivate var reached: Float

    /// - Parameter gain: from the first sample on.
    package init(gain: Float = 1) {
        self.gain = gain
        reached = gain
    }
}

/// Adds any number of mono or stereo inputs up, with a gain each, and bends what would overflow instead of clipping it.
///
/// For each frame: `begin`, `add` per input, `finish`. Nothing is allocated once the longest frame has been seen.
package struct AudioMixer: Sendable {
    /// Channels of the result, 1 or 2.
    package let channels: Int
    /// Up to this share of the full scale nothing is changed; above it, the curve approaches the full scale.
    private static let knee: Float = 0.8

    private var sum: [Float] = []
    private var frames = 0

    package init(channels: Int = 1) { self.channels = min(max(channels, 1), 2) }

    /// Begins a frame of silence.
    package mutating func begin(frames: Int) {
        self.frames = max(frames, 0)
        let count = self.frames * channels
        if sum.count < count { sum = [Float](repeating: 0, count: count) }
        for index in 0..<count { sum[index] = 0 }
    }

    /// Adds one input: stereo is halved into mono, mono goes to both sides.
    ///
    /// - Parameters:
    ///   - samples: interleaved; where there are fewer than the frame has, the rest is silence.
    ///   - sourceChannels: 1 or 2.
    package mutating func add(
        _ samples: UnsafeBufferPointer<Int16>, channels sourceChannels: Int, _ input: inout MixerInput
    ) {
        let source = min(max(sourceChannels, 1), 2)
        let count = min(frames, samples.count / source)
        guard count > 0 else { return }
        let step = (input.gain - input.reached) / Float(count)
        var gain = input.reached
        for frame in 0..<count {
            gain += step
            let left = Float(samples[frame * source]) * gain
            let right = source == 2 ? Float(samples[frame * source + 1]) * gain : left
            if channels == 2 {
                sum[2 * frame] += left
                sum[2 * frame + 1] += right
            } else {
                sum[frame] += (left + right) / 2
            }
        }
        input.reached = input.gain
    }

    /// Adds an array.
    package mutating func add(_ samples: [Int16], channels sourceChannels: Int, _ input: inout MixerInput) {
        samples.withUnsafeBufferPointer { add($0, channels: sourceChannels, &input) }
    }

    /// Writes the frame, interleaved; `output` has room for it.
    package func finish(into output: UnsafeMutableBufferPointer<Int16>) {
        for index in 0..<min(output.count, frames * channels) { output[index] = Self.bend(sum[index]) }
    }

    /// Linear up to the knee, then a curve with the same slope that reaches the full scale at infinity.
    private static func bend(_ value: Float) -> Int16 {
        let scale: Float = 32_767
        let magnitude = min(abs(value) / scale, 1_000)
        guard magnitude > knee else { return Int16(value.rounded()) }
        let excess = (magnitude - knee) / (1 - knee)
        let bent = (knee + (1 - knee) * excess / (1 + excess)) * scale
        return Int16(value < 0 ? -bent : bent)
    }
}
