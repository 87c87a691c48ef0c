import Synchronization

/// Plays samples that lie in memory.
public final class PCMSource: AudioSource {
    /// 1 or 2.
    public let channels: Int
    private let samples: [Int16]
    private let repeats: Bool
    private let pause: Int
    private let position = Mutex(0)

    /// - Parameters:
    ///   - samples: interleaved 48 kHz samples.
    ///   - channels: 1 or 2.
    ///   - repeats: whether it starts over at its end.
    ///   - pause: seconds of silence after each time.
    public init(samples: [Int16], channels: Int = 1, repeats: Bool = false, pause: Double = 0) {
        let channels = min(max(channels, 1), 2)
        self.channels = channels
        self.samples = samples.count % channels == 0 ? samples : samples.dropLast(samples.count % channels)
        self.repeats = repeats
        // Silence alone would repeat without end.
        let pause = self.samples.isEmpty ? 0 : pause
        self.pause = Int(min(max(pause.isNaN ? 0 : pause, 0), 3_600) * Double(AudioFrame.sampleRate)) * channels
    }

    /// Seconds that the samples last, without pause.
    public var duration: Double { Double(samples.count / channels) / Double(AudioFrame.sampleRate) }

    /// Writes interleaved samples; see ``AudioSource/read(into:)``.
    public func read(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        position.withLock { position in
            var written = 0
            while written < output.count {
                if position == samples.count + pause {
                    guard repeats, !samples.isEmpty else { break }
                    position = 0
                }
                let count = copy(from: position, into: UnsafeMutableBufferPointer(rebasing: output[written...]))
                position += count
                written += count
            }
            return written / channels
        }
    }

    private func copy(from position: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        guard position < samples.count else {
            let count = min(samples.count + pause - position, output.count)
            output[..<count].update(repeating: 0)
            return count
        }
        let count = min(samples.count - position, output.count)
        samples.withUnsafeBufferPointer { samples in
            _ = output[..<count].update(fromContentsOf: samples[position..<position + count])
        }
        return count
    }
}
