/// Speaks a text, again and again unless told otherwise.
public final class SpeechSource: AudioSource {
    /// Always 1.
    public let channels = 1
    /// What is spoken.
    public let text: String
    /// Who speaks.
    public let voice: SpeechVoice
    private let source: PCMSource

    /// Synthesizes the text, which takes a few milliseconds for each second of speech.
    ///
    /// - Parameters:
    ///   - text: a sentence or more, UTF-8.
    ///   - voice: who speaks.
    ///   - repeats: whether it starts over at its end.
    ///   - pause: seconds of silence after each time.
    public init(
        _ text: String, voice: SpeechVoice = .all[0], repeats: Bool = true, pause: Double = 0.3
    ) throws(MediaError) {
        self.text = text
        self.voice = voice
        source = PCMSource(
            samples: try SpeechSynthesizer.synthesize(text, voice: voice), repeats: repeats, pause: pause)
    }

    /// Seconds that the text takes once, without pause.
    public var duration: Double { source.duration }

    /// Writes the next samples; see ``AudioSource/read(into:)``.
    public func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int { source.read(into: samples) }
}
