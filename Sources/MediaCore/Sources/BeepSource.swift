import Glibc
import Synchronization

/// A tone that sounds for the first tenth of each second of the clock whose time test cards carry: what was captured together
/// can be told from a picture and a beep of a recording.
public final class BeepSource: AudioSource {
    /// Always 1.
    public let channels = 1
    /// Hz.
    public let frequency: Double
    private let clock: MediaClock
    private let amplitude: Double
    private let position = Mutex<Int64?>(nil)

    /// Samples at the beginning of each second that sound.
    static let length: Int64 = 4_800
    private static let rate = Int64(AudioFrame.sampleRate)
    /// Reading that strays farther from the clock, in samples, begins anew: its sender was held up, and sends the rest late.
    private static let stray = rate / 10

    /// - Parameters:
    ///   - frequency: Hz, held to 1...24,000.
    ///   - levelDBFS: level of the tone's peak against the full scale, held to -90...0 dB.
    ///   - clock: of which the seconds are.
    public init(frequency: Double, levelDBFS: Double = -12, clock: MediaClock = .system) {
        self.frequency = min(max(frequency.isNaN ? 440 : frequency, 1), 24_000)
        amplitude = 32_767 * pow(10, min(max(levelDBFS.isNaN ? -12 : levelDBFS, -90), 0) / 20)
        self.clock = clock
    }

    /// Writes the next samples; never ends.
    public func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        let (seconds, rest) = clock.now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let now = seconds * BeepSource.rate + rest * BeepSource.rate / 1_000_000_000
        let first = position.withLock { position in
            var first = position ?? now
            if abs(first - now) > BeepSource.stray { first = now }
            position = first + Int64(samples.count)
            return first
        }
        let step = 2 * Double.pi * frequency / Double(BeepSource.rate)
        for index in samples.indices {
            let place = (first + Int64(index)) % BeepSource.rate
            samples[index] = place < BeepSource.length ? Int16(amplitude * sin(step * Double(place))) : 0
        }
        return samples.count
    }
}
