import CSpeech

/// Converts the sample rate of 16-bit PCM with speexdsp's windowed-sinc resampler.
///
/// Sendable because it can't be copied: whoever holds it is the only one to reach libspeexdsp's state.
package struct Resampler: ~Copyable, @unchecked Sendable {
    package let channels: Int
    private let state: OpaquePointer

    /// - Parameters:
    ///   - channels: interleaved channels, 1...255.
    ///   - source: Hz of the input, 1,000...768,000.
    ///   - target: Hz of the output, in the same range.
    ///   - quality: 0 (fastest) ... 10 (best); 7 keeps aliases below -80 dB.
    package init(channels: Int, from source: Int, to target: Int, quality: Int = 7) throws(MediaError) {
        guard (1...255).contains(channels), (1_000...768_000).contains(source), (1_000...768_000).contains(target)
        else {
            throw MediaError(
                .argument, "resampler", "can't convert \(channels) channels from \(source) to \(target) Hz",
                remedy: "use 1 to 255 channels and rates from 1000 to 768000 Hz")
        }
        var status: Int32 = 0
        guard
            let state = speex_resampler_init(
                UInt32(channels), UInt32(source), UInt32(target), Int32(min(max(quality, 0), 10)), &status)
        else {
            throw MediaError(
                .environment, "resampler", "libspeexdsp failed with status \(status)",
                remedy: "check that libspeexdsp1 is installed and memory is left")
        }
        self.state = state
        self.channels = channels
        // Without the filter's run-in the output starts in step with the input.
        _ = speex_resampler_skip_zeros(state)
    }

    deinit { speex_resampler_destroy(state) }

    /// Samples per channel of input by which the output lags: so much silence flushes the end out.
    package var inputLatency: Int { Int(speex_resampler_get_input_latency(state)) }

    /// Converts as much as fits.
    ///
    /// - Returns: samples per channel taken from `input` and written to `output`.
    package mutating func process(
        _ input: UnsafeBufferPointer<Int16>, into output: UnsafeMutableBufferPointer<Int16>
    ) -> (consumed: Int, produced: Int) {
        guard let source = input.baseAddress, let target = output.baseAddress else { return (0, 0) }
        var consumed = UInt32(clamping: input.count / channels)
        var produced = UInt32(clamping: output.count / channels)
        _ = speex_resampler_process_interleaved_int(state, source, &consumed, target, &produced)
        return (Int(consumed), Int(produced))
    }

    /// Converts a whole recording.
    ///
    /// - Parameter samples: interleaved, `channels` channels.
    package static func convert(
        _ samples: [Int16], channels: Int = 1, from source: Int, to target: Int
    ) throws(MediaError) -> [Int16] {
        guard source != target, !samples.isEmpty else { return samples }
        var resampler = try Resampler(channels: channels, from: source, to: target)
        let wanted = samples.count / channels * target / source
        let padded = samples + [Int16](repeating: 0, count: (resampler.inputLatency + 1) * channels)
        var output = [Int16](repeating: 0, count: wanted * channels)
        var read = 0
        var written = 0
        while written < output.count, read < padded.count {
            let step = padded.withUnsafeBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    resampler.process(
                        UnsafeBufferPointer(rebasing: input[read...]), into: .init(rebasing: output[written...]))
                }
            }
            if step.consumed == 0, step.produced == 0 { break }
            read += step.consumed * channels
            written += step.produced * channels
        }
        return output
    }
}
