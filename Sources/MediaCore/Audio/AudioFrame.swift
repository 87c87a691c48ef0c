/// A stretch of 16-bit PCM at 48 kHz, usually 10 or 20 ms.
///
/// A producer may keep one frame and refill it: as long as no consumer holds on to it, nothing is allocated, and when
/// one does, copy-on-write keeps its samples intact.
public struct AudioFrame: Sendable, Hashable {
    /// The sample rate of all audio inside the engine, in Hz.
    public static let sampleRate = 48_000

    /// Samples, interleaved when there are two channels; the full scale is ±32767.
    public var samples: [Int16]
    /// 1 (mono) or 2 (left, right).
    public let channels: Int
    /// When the first sample was captured, or is played, by the producer's clock.
    public var time: MediaTime

    /// Makes a frame from interleaved samples.
    public init(samples: [Int16], channels: Int = 1, time: MediaTime = .zero) {
        self.samples = samples
        self.channels = max(1, channels)
        self.time = time
    }

    /// Makes a silent frame of `frameCount` samples per channel.
    public init(silence frameCount: Int, channels: Int = 1, time: MediaTime = .zero) {
        self.init(
            samples: [Int16](repeating: 0, count: max(0, frameCount) * max(1, channels)), channels: channels, time: time
        )
    }

    /// Samples per channel.
    public var frameCount: Int { samples.count / channels }

    /// Length in seconds.
    public var duration: Double { Double(frameCount) / Double(Self.sampleRate) }
}
