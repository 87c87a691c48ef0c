import CallBridge
import MediaCore

/// What the person at one participant hears: the greeting, then the call, on a device or into a file.
struct Hearing {
    private let output: CallAudioOutput
    private let speaker: Speaker?
    private let text: String

    /// Begins at once, before anything is connected; nil where nobody listens. Throws `CallError` where the greeting can't
    /// be spoken.
    static func begin(on bridge: CallBridge, speaker: Speaker?, greeting: VoiceGreeting?) async throws -> Hearing? {
        guard speaker != nil || greeting != nil else { return nil }
        let output = bridge.makeOutput(sinks: speaker.map { [$0.sink] } ?? [])
        if let greeting {
            output.greet(samples: try greeting.samples(), pauseMilliseconds: greeting.pauseMilliseconds)
        }
        return Hearing(output: output, speaker: speaker, text: greeting?.text ?? "")
    }

    func play(_ call: Call) { call.play(to: output) }

    /// Stops, closes the device, and says how the greeting went. Throws `MediaError` where a file could not be written.
    func end(_ devices: DeviceWatch) throws(MediaError) -> GreetingSummary? {
        output.close()
        try speaker?.close(devices)
        return VoiceGreeting(text: text).isEmpty ? nil : GreetingSummary(text, output)
    }
}

/// A hearing that begins when a call is accepted, which may be long before anything is joined, and ends with the run.
actor RingHearing {
    private let speaker: Speaker?
    private let greeting: VoiceGreeting?
    private var hearing: Hearing?
    private var hasBegun = false

    init(speaker: Speaker? = nil, greeting: VoiceGreeting? = nil) {
        self.speaker = speaker
        self.greeting = greeting
    }

    /// Begins, unless it has; nil where nobody listens. Throws `CallError` where the greeting can't be spoken.
    @discardableResult
    func begin(on bridge: CallBridge) async throws -> Hearing? {
        guard !hasBegun else { return hearing }
        hasBegun = true
        hearing = try await Hearing.begin(on: bridge, speaker: speaker, greeting: greeting)
        return hearing
    }

    /// Stops, closes the device, and says how the greeting went. Throws `MediaError` where a file could not be written.
    func end(_ devices: DeviceWatch) throws(MediaError) -> GreetingSummary? {
        guard let hearing else {
            try speaker?.close(devices)
            return nil
        }
        self.hearing = nil
        return try hearing.end(devices)
    }
}
