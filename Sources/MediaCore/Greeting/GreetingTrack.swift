/// What is said to somebody who waits for a call to connect: samples, over and over with a pause between.
///
/// A pure value; time passes only as samples are taken.
struct GreetingTrack: Sendable {
    private let samples: [Int16]
    /// Samples of silence after each time.
    private let pause: Int
    private var position = 0

    /// - Parameters:
    ///   - samples: mono, 48 kHz.
    ///   - pauseMilliseconds: silence after each time, held to 0...60,000.
    init(samples: [Int16], pauseMilliseconds: Int) {
        self.samples = samples
        pause = min(max(pauseMilliseconds, 0), 60_000) * AudioFrame.sampleRate / 1_000
    }

    var isEmpty: Bool { samples.isEmpty }

    /// Whether the next sample is speech and not the pause.
    var isSpeaking: Bool { position < samples.count }

    /// Appends the next `count` samples; says how many of them are speech.
    mutating func read(_ count: Int, into frame: inout [Int16]) -> Int {
        guard !samples.isEmpty else {
            frame.append(contentsOf: repeatElement(0, count: count))
            return 0
        }
        var left = count
        var spoken = 0
        while left > 0 {
            let end = isSpeaking ? samples.count : samples.count + pause
            let step = min(left, end - position)
            if isSpeaking {
                frame.append(contentsOf: samples[position..<position + step])
                spoken += step
            } else {
                frame.append(contentsOf: repeatElement(0, count: step))
            }
            left -= step
            position += step
            if position >= samples.count + pause { position = 0 }
        }
        return spoken
    }
}
