import CallBridge
import MediaCore

/// What the person at one participant hears: the greeting, then the call, on a device or into a file.
struct Hearing {
    private let output: CallAudioOutput
    private let speaker: Speaker?
    private let text: String

    /// Begins at once, before anything is connected; nil where nobody listens. Throws `CallError` where the greeting can't
    /// be spoken.
    static func begin(on bridge: CallBridge, speaker: Speaker?, greeting: String?) async throws -> Hearing? {
        guard speaker != nil || greeting != nil else { return nil }
        let output = bridge.makeOutput(sinks: speaker.map { [$0.sink] } ?? [])
        if let greeting {
            let voice = VoiceGreeting(text: greeting)
            output.greet(samples: try voice.samples(), pauseMilliseconds: voice.pauseMilliseconds)
        }
        return Hearing(output: output, speaker: speaker, text: greeting ?? "")
    }

    func play(_ call: Call) { call.play(to: output) }

    /// Stops, closes the device, and says how the greeting went. Throws `MediaError` where a file could not be written.
    func end(_ devices: DeviceWatch) throws(MediaError) -> GreetingSummary? {
        output.close()
        try speaker?.close(devices)
        return VoiceGreeting(text: text).isEmpty ? nil : GreetingSummary(text, output)
    }
}
