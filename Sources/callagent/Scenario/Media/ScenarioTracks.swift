import CallBridge
import MediaCore
import ScenarioCore

/// What somebody publishes, as tracks. Where anybody is counted all frames carry stamps; those of people whom nobody decodes
/// are encoded once for all, everybody else's as in any call.
struct ScenarioTracks: Sendable {
    private let person: PlannedPerson
    /// On test cards and stamps.
    private let number: Int
    private let scene: ScenarioScene
    private let control: SpeechSwitch
    private let sentSound: SentTruth
    private let sentCard: SentTruth

    init(_ person: PlannedPerson, number: Int, in scene: ScenarioScene) {
        self.person = person
        self.number = number
        self.scene = scene
        let speaks = person.media.spans == nil
        let publisher = UInt32(truncatingIfNeeded: number)
        control = SpeechSwitch(speaks)
        sentSound = SentTruth(.audio, run: 0, publisher: publisher, isSilent: !speaks)
        sentCard = SentTruth(.video, run: 0, publisher: publisher)
    }

    /// Sound leaves, or silence.
    func setSpeaking(_ speaks: Bool) {
        control.isOn = speaks
        sentSound.isSilent = !speaks
    }

    /// Nil where they publish none. Throws `MediaError`.
    func sound() throws -> LocalTrack? {
        guard let sound = person.media.sound else { return nil }
        guard !scene.isPrepared(person.identity) else {
            let frames = try scene.clips.sound(sound)
            let source = StampedAudioSource(frames, sentSound, start: start, clock: scene.stage.clock)
            return LocalTrack(.encodedAudio(source), name: "sound")
        }
        let source: any AudioSource
        switch sound {
        case .tone(let hertz): source = ToneSource(frequency: hertz)
        case .speech(let text): source = try SpeechSource(text, voice: .numbered(number))
        }
        guard scene.isCounted else {
            return LocalTrack(.audio(SwitchedSource(source, control), .init()), name: "sound")
        }
        return LocalTrack(.audio(source, .init()), name: "sound", marker: StampMarker(sentSound))
    }

    /// Nil where they publish none. Throws `MediaError`.
    func card() throws -> LocalTrack? {
        guard let card = person.media.card else { return nil }
        guard !scene.isPrepared(person.identity) else {
            let source = StampedVideoSource(try scene.clips.pictures(card), sentCard, start: start)
            return LocalTrack(.encodedVideo(source), name: "test card")
        }
        let source = try TestCardSource(
            sender: UInt16(truncatingIfNeeded: number), width: card.width, height: card.height,
            frameRate: card.frameRate)
        let media = LocalTrack.Media.video(source, VideoEncoding(bitrate: card.bitrate))
        guard scene.isCounted else { return LocalTrack(media, name: "test card") }
        return LocalTrack(media, name: "test card", marker: StampMarker(sentCard, of: source, streams: []))
    }

    /// Where in a clip they begin.
    private var start: Double { Double(number * 7 % 16) / 16 }
}
