/// A voice of the speech synthesizer.
public struct SpeechVoice: Hashable, Sendable {
    /// The espeak-ng voice, for example `en+f3` for the third female variant of English.
    public var name: String
    /// Base pitch, 0 (deep) ... 99 (high).
    public var pitch: Int
    /// Words a minute, 80...450.
    public var wordsPerMinute: Int

    /// Makes a voice; values out of range are held to it.
    public init(_ name: String, pitch: Int = 50, wordsPerMinute: Int = 165) {
        self.name = name
        self.pitch = min(max(pitch, 0), 99)
        self.wordsPerMinute = min(max(wordsPerMinute, 80), 450)
    }

    /// English voices that are easy to tell apart, by ear and by pitch.
    public static let all: [SpeechVoice] = [
        SpeechVoice("en+f3", pitch: 60, wordsPerMinute: 165),
        SpeechVoice("en+m7", pitch: 15, wordsPerMinute: 160),
        SpeechVoice("en+f5", pitch: 95, wordsPerMinute: 175),
        SpeechVoice("en+m3", pitch: 45, wordsPerMinute: 170),
        SpeechVoice("en+f2", pitch: 35, wordsPerMinute: 155),
        SpeechVoice("en+m1", pitch: 85, wordsPerMinute: 180),
    ]

    /// A voice for the participant of that number; neighbours differ.
    public static func numbered(_ number: Int) -> SpeechVoice {
        all[((number % all.count) + all.count) % all.count]
    }
}
