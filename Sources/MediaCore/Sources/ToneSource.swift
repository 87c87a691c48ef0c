import Glibc
import Synchronization

/// A pure tone without end.
public final class ToneSource: AudioSource {
    /// Always 1.
    public let channels = 1
    /// Hz.
    public let frequency: Double
    private let amplitude: Double
    private let phasor: Mutex<Phasor>

    private struct Phasor {
        var cosine = 1.0
        var sine = 0.0
    }

    /// - Parameters:
    ///   - frequency: Hz, held to 1...24,000.
    ///   - levelDBFS: level of the tone's peak against the full scale, held to -90...0 dB.
    public init(frequency: Double, levelDBFS: Double = -12) {
        self.frequency = min(max(frequency.isNaN ? 440 : frequency, 1), 24_000)
        amplitude = 32_767 * pow(10, min(max(levelDBFS.isNaN ? -12 : levelDBFS, -90), 0) / 20)
        phasor = Mutex(Phasor())
    }

    /// Writes the next samples; never ends.
    public func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        let step = 2 * Double.pi * frequency / Double(AudioFrame.sampleRate)
        let (c, s) = (cos(step), sin(step))
        phasor.withLock { phasor in
            for index in samples.indices {
                samples[index] = Int16(amplitude * phasor.sine)
                (phasor.cosine, phasor.sine) = (
                    phasor.cosine * c - phasor.sine * s, phasor.cosine * s + phasor.sine * c
                )
            }
            // Rounding would make the rotating pointer shrink or grow over hours.
            let length = hypot(phasor.cosine, phasor.sine)
            phasor.cosine /= length
            phasor.sine /= length
        }
        return samples.count
    }
}

/// Silence without end.
public final class SilenceSource: AudioSource {
    /// 1 or 2.
    public let channels: Int

    /// - Parameter channels: 1 or 2.
    public init(channels: Int = 1) { self.channels = min(max(channels, 1), 2) }

    /// Writes zeros; never ends.
    public func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        samples.update(repeating: 0)
        return samples.count / channels
    }
}
