import CallBridge
import MediaCore
import ScenarioCore

/// What somebody publishes, as tracks. Whoever is counted by someone sends frames with stamps in them; all others are encoded
/// as in any call.
struct ScenarioTracks: Sendable {
    let person: PlannedPerson
    /// On test cards and stamps.
    let number: Int
    let isStamped: Bool
    let control: SpeechSwitch

    /// Nil where they publish none. Throws `MediaError`.
    func sound() throws -> LocalTrack? {
        guard let sound = person.media.sound else { return nil }
        let source: any AudioSource
        switch sound {
        case .tone(let hertz): source = ToneSource(frequency: hertz)
        case .speech(let text): source = try SpeechSource(text, voice: .numbered(number))
        }
        guard isStamped else { return LocalTrack(.audio(SwitchedSource(source, control), .init()), name: "sound") }
        return LocalTrack(.encodedAudio(try StampedSound(source, control, publisher: number)), name: "sound")
    }

    /// Nil where they publish none. Throws `MediaError`.
    func card() throws -> LocalTrack? {
        guard let card = person.media.card else { return nil }
        guard !isStamped else {
            return LocalTrack(.encodedVideo(try StampedCard(card, publisher: number)), name: "test card")
        }
        let source = try TestCardSource(
            sender: UInt16(truncatingIfNeeded: number), width: card.width, height: card.height,
            frameRate: card.frameRate)
        let format = LocalMedia.VideoFormat(width: card.width, height: card.height, frameRate: card.frameRate)
        return LocalTrack(.video(source, VideoEncoding(bitrate: format.bitrate)), name: "test card")
    }
}
