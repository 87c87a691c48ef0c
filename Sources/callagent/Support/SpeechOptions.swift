import ArgumentParser
import CallBridge
import MediaCore

/// Whose voice speaks what `--say` and `--greeting` are given.
struct SpeechOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The espeak-ng voice of --say and --greeting, such as en+f3 or de+m2.", valueName: "name"))
    var voice: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The language of --say and --greeting, such as de; without it English.", valueName: "tag"))
    var language: String?

    func validate() throws {
        for (name, value) in [("--voice", voice), ("--language", language)] where value?.isEmpty == true {
            throw ValidationError("\(name) must not be empty.")
        }
        if voice != nil, language != nil {
            throw ValidationError("--voice and --language exclude each other: a voice has its language.")
        }
    }

    /// Throws `MediaError` where there is no such voice.
    func speech(_ text: String) throws -> SpeechSource {
        try SpeechSource(text, voice: (voice ?? language).map { SpeechVoice($0) } ?? .all[0])
    }

    func greeting(_ text: String) -> VoiceGreeting { VoiceGreeting(text: text, voice: voice, language: language) }
}
