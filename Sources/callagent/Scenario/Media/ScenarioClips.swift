import CallBridge
import MediaCore
import ScenarioCore
import Synchronization

/// Media that is encoded once, as that of load tests is: for whoever is counted by all and decoded by none. What is on it is
/// nobody's concern, so people of one kind share it.
final class ScenarioClips: Sendable {
    private struct State {
        var pictures: [PlannedMedia.Card: LoadMedia] = [:]
        var sounds: [PlannedMedia.Sound: [EncodedAudioFrame]] = [:]
    }

    private let state = Mutex(State())
    private static let toneMilliseconds = 1000

    /// Throws `MediaError`.
    func pictures(_ card: PlannedMedia.Card) throws -> LoadMedia {
        try state.withLock { state in
            if let known = state.pictures[card] { return known }
            var format = LoadMedia.Format(width: card.width, height: card.height, frameRate: card.frameRate)
            format.bitrate = card.bitrate
            format.isSimulcast = false
            let media = try LoadMedia(format, pictures: true, sound: false)
            state.pictures[card] = media
            return media
        }
    }

    /// 20 ms a frame. Throws `MediaError`.
    func sound(_ sound: PlannedMedia.Sound) throws -> [EncodedAudioFrame] {
        var key = sound
        if case .tone = sound { key = .tone(440) }
        return try state.withLock { state in
            if let known = state.sounds[key] { return known }
            let frames = try Self.encode(key)
            state.sounds[key] = frames
            return frames
        }
    }

    private static func encode(_ sound: PlannedMedia.Sound) throws -> [EncodedAudioFrame] {
        let (source, milliseconds): (any AudioSource, Int)
        switch sound {
        case .tone(let hertz): (source, milliseconds) = (ToneSource(frequency: hertz), toneMilliseconds)
        case .speech(let text):
            let speech = try SpeechSource(text, voice: .numbered(0))
            (source, milliseconds) = (speech, Int(speech.duration * 1000))
        }
        let reader = try OpusClip(source, milliseconds: milliseconds).source()
        return (0..<max(1, milliseconds / 20)).compactMap { _ in reader.nextFrame() }
    }
}

extension PlannedMedia.Card {
    /// Bits a second.
    var bitrate: Int { LocalMedia.VideoFormat(width: width, height: height, frameRate: frameRate).bitrate }
}
