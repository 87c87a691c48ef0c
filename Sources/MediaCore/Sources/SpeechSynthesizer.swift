import CSpeech
import Synchronization

/// Turns text into samples with espeak-ng.
///
/// espeak-ng is one object per process and not reentrant, so calls queue up behind each other. What it draws at random
/// begins anew with each text, where it lets us (1.52 and later), so that a text sounds alike in every process; one that
/// was spoken before comes from memory.
public enum SpeechSynthesizer {
    private struct State {
        var engine = Engine.untried
        var spoken: [Utterance: [Int16]] = [:]
        var spokenCount = 0
    }

    private enum Engine {
        case untried
        case ready(sampleRate: Int)
        case failed
    }

    private struct Utterance: Hashable {
        var text: String
        var voice: SpeechVoice
    }

    private static let state = Mutex(State())

    /// Text longer than this is refused.
    private static let textLimit = 10_000
    /// Samples kept in memory: three minutes.
    private static let spokenLimit = 180 * AudioFrame.sampleRate

    /// Speaks a text.
    ///
    /// - Returns: mono samples at 48 kHz, without the silence that espeak-ng puts around them.
    /// - Throws: ``MediaError`` when espeak-ng's data isn't installed, the voice doesn't exist or the text is empty.
    public static func synthesize(_ text: String, voice: SpeechVoice = .all[0]) throws(MediaError) -> [Int16] {
        guard text.utf8.count <= textLimit, !text.utf8.contains(0), text.contains(where: { !$0.isWhitespace }) else {
            throw MediaError(
                .argument, "text to speak", "is empty, or longer than \(textLimit) bytes",
                remedy: "give a sentence or two")
        }
        let utterance = Utterance(text: text, voice: voice)
        let result = state.withLock { state in
            Result { () throws(MediaError) in
                if let samples = state.spoken[utterance] { return samples }
                let samples = try speak(utterance, &state.engine)
                keep(samples, of: utterance, &state)
                return samples
            }
        }
        return try result.get()
    }

    private static func keep(_ samples: [Int16], of utterance: Utterance, _ state: inout State) {
        if state.spokenCount + samples.count > spokenLimit {
            state.spoken.removeAll()
            state.spokenCount = 0
        }
        state.spoken[utterance] = samples
        state.spokenCount += samples.count
    }

    private static func speak(_ utterance: Utterance, _ engine: inout Engine) throws(MediaError) -> [Int16] {
        let rate = try start(&engine)
        try choose(utterance.voice)
        cspeech_seed(1)
        let output = SpeechOutput()
        let status = withExtendedLifetime(output) {
            espeak_Synth(
                utterance.text, utterance.text.utf8.count + 1, 0, POS_CHARACTER, 0, UInt32(espeakCHARS_UTF8), nil,
                Unmanaged.passUnretained(output).toOpaque())
        }
        guard status == EE_OK, espeak_Synchronize() == EE_OK else {
            throw MediaError(.environment, "espeak-ng", "failed with status \(status.rawValue)", remedy: reinstall)
        }
        let speech = trimmed(output.samples)
        guard !speech.isEmpty else {
            throw MediaError(.argument, "text to speak", "has nothing that can be spoken", remedy: "give words")
        }
        return try Resampler.convert(speech, from: rate, to: AudioFrame.sampleRate)
    }

    private static func choose(_ voice: SpeechVoice) throws(MediaError) {
        guard espeak_SetVoiceByName(voice.name) == EE_OK, hasVariant(voice.name) else {
            throw MediaError(
                .argument, "voice '\(voice.name)'", "is unknown to espeak-ng",
                remedy: "use a voice such as en+f3 or en+m1, see espeak-ng --voices")
        }
        espeak_SetParameter(espeakRATE, Int32(voice.wordsPerMinute), 0)
        espeak_SetParameter(espeakPITCH, Int32(voice.pitch), 0)
        espeak_SetParameter(espeakVOLUME, 100, 0)
    }

    /// Whether the variant after the plus sign was found: espeak-ng silently speaks without it otherwise.
    private static func hasVariant(_ name: String) -> Bool {
        guard let plus = name.firstIndex(of: "+") else { return true }
        guard let identifier = espeak_GetCurrentVoice()?.pointee.identifier else { return false }
        return String(cString: identifier).hasSuffix(name[plus...])
    }

    /// Starts espeak-ng once per process and returns its sample rate.
    private static func start(_ engine: inout Engine) throws(MediaError) -> Int {
        switch engine {
        case .ready(let rate): return rate
        case .failed: break
        case .untried:
            // Without this flag a missing data directory ends the process.
            let rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, nil, Int32(espeakINITIALIZE_DONT_EXIT))
            if rate > 0 {
                espeak_SetSynthCallback(SpeechOutput.receive)
                engine = .ready(sampleRate: Int(rate))
                return Int(rate)
            }
            engine = .failed
        }
        throw MediaError(.environment, "espeak-ng", "can't find its speech data", remedy: reinstall)
    }

    private static let reinstall = "install it: apt-get install espeak-ng-data"

    private static func trimmed(_ samples: [Int16]) -> [Int16] {
        let threshold: Int16 = 64
        guard let first = samples.firstIndex(where: { $0 > threshold || $0 < -threshold }),
            let last = samples.lastIndex(where: { $0 > threshold || $0 < -threshold })
        else { return [] }
        return Array(samples[first...last])
    }
}

/// Collects what espeak-ng hands to its callback.
private final class SpeechOutput {
    var samples: [Int16] = []

    static let receive:
        @convention(c) (
            UnsafeMutablePointer<Int16>?, Int32, UnsafeMutablePointer<espeak_EVENT>?
        ) -> Int32 = { wave, count, events in
            guard let wave, count > 0, let user = events?.pointee.user_data else { return 0 }
            let output = Unmanaged<SpeechOutput>.fromOpaque(user).takeUnretainedValue()
            output.samples.append(contentsOf: UnsafeBufferPointer(start: wave, count: Int(count)))
            return 0
        }
}
