import Foundation
import MediaCore

/// What the person who accepted a call hears until the call itself is heard.
///
/// Either a text, which is synthesised on this machine, or a sound that the server has made. Both empty: no greeting.
public struct VoiceGreeting: Sendable, Hashable, Codable {
    /// What is spoken, at most 10,000 bytes of UTF-8; ignored where `audio` is given.
    public var text: String
    /// A WAV file's bytes; in JSON as base64.
    public var audio: [UInt8]?
    /// An espeak-ng voice such as `en+f3`; nil takes `language`.
    public var voice: String?
    /// A language tag such as `en` or `de`; nil takes English.
    public var language: String?
    /// Words a minute, 80...450; nil takes the voice's own.
    public var wordsPerMinute: Int?
    /// Silence before it is said again, in milliseconds, 0...60,000.
    public var pauseMilliseconds: Int

    /// A greeting of spoken text.
    public init(
        text: String, voice: String? = nil, language: String? = nil, wordsPerMinute: Int? = nil,
        pauseMilliseconds: Int = 700
    ) {
        self.text = text
        self.voice = voice
        self.language = language
        self.wordsPerMinute = wordsPerMinute
        self.pauseMilliseconds = pauseMilliseconds
    }

    /// A greeting of given sound.
    ///
    /// - Parameter audio: a WAV file's bytes.
    public init(audio: [UInt8], pauseMilliseconds: Int = 700) {
        self.init(text: "", pauseMilliseconds: pauseMilliseconds)
        self.audio = audio
    }

    /// Whether there is anything to say.
    public var isEmpty: Bool { (audio?.isEmpty ?? true) && !text.contains { !$0.isWhitespace } }

    /// The samples, mono at 48 kHz; none where the greeting is empty.
    ///
    /// Takes milliseconds of processor time for each second of speech. Throws `CallError` where the voice or its data is
    /// missing, or the sound can't be read.
    public func samples() throws(CallError) -> [Int16] {
        guard !isEmpty else { return [] }
        do throws(MediaError) {
            if let audio, !audio.isEmpty { return try VoiceGreeting.decode(audio) }
            return try SpeechSynthesizer.synthesize(text, voice: speechVoice)
        } catch {
            throw CallError(
                error.kind == .environment ? .environment : .configuration, .mediaUnavailable, "greeting: \(error)")
        }
    }

    private var speechVoice: SpeechVoice {
        let base = SpeechVoice.all[0]
        let name = voice ?? language ?? base.name
        return SpeechVoice(name, pitch: 50, wordsPerMinute: wordsPerMinute ?? base.wordsPerMinute)
    }

    /// Two minutes are enough for a greeting; more is left out.
    private static let longest = 120 * AudioFrame.sampleRate

    private static func decode(_ bytes: [UInt8]) throws(MediaError) -> [Int16] {
        let source = try WAVSource(bytes: bytes, name: "greeting audio")
        var result: [Int16] = []
        var frame = AudioFrame(silence: AudioFrame.sampleRate / 50, channels: source.channels)
        while result.count < longest {
            let count = source.read(into: &frame)
            guard count > 0 else { break }
            for index in 0..<count {
                let sum = (0..<source.channels).reduce(0) { $0 + Int(frame.samples[index * source.channels + $1]) }
                result.append(Int16(clamping: sum / source.channels))
            }
        }
        return result
    }

    private enum CodingKeys: String, CodingKey { case text, audio, voice, language, wordsPerMinute, pauseMilliseconds }

    /// Decodes a greeting; every field may be absent.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            text: try values.decodeIfPresent(String.self, forKey: .text) ?? "",
            voice: try values.decodeIfPresent(String.self, forKey: .voice),
            language: try values.decodeIfPresent(String.self, forKey: .language),
            wordsPerMinute: try values.decodeIfPresent(Int.self, forKey: .wordsPerMinute),
            pauseMilliseconds: try values.decodeIfPresent(Int.self, forKey: .pauseMilliseconds) ?? 700)
        audio = try values.decodeIfPresent(Data.self, forKey: .audio).map { Array($0) }
    }

    /// Encodes it, the sound as base64.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(text, forKey: .text)
        try values.encodeIfPresent(audio.map { Data($0) }, forKey: .audio)
        try values.encodeIfPresent(voice, forKey: .voice)
        try values.encodeIfPresent(language, forKey: .language)
        try values.encodeIfPresent(wordsPerMinute, forKey: .wordsPerMinute)
        try values.encode(pauseMilliseconds, forKey: .pauseMilliseconds)
    }
}
