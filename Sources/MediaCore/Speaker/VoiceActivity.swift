import RTCWire

/// One participant's voice, from levels: a noise floor that adapts, and what has been spoken of late.
///
/// Levels come in at any time; every 20 ms `listen` and then `judge` are called once. Loudness is in dBov throughout.
struct VoiceActivity: Sendable {
    static let slot: Int64 = 20_000_000
    /// A level stands for this many slots at least, in case packets get lost.
    private static let persistence: Int64 = 2
    /// A noise floor never rises above this: who is louder all the time is taken for a speaker.
    private static let highestFloor: Float = -38
    /// Sound this even over a second (dB between loudest and faintest slot) is noise.
    private static let evenness: Float = 5

    /// Noise floor.
    private(set) var floor: Float = -70
    /// Loudness of the newest slot, lightly smoothed.
    private(set) var present: Float = -127
    /// How loud this participant speaks; nil until it has spoken.
    private(set) var usual: Float?
    /// Loudness of voice over -60 dBov, smoothed over some 300 ms, dB; silence counts as 0.
    private(set) var strength: Float = 0
    /// Slots with voice since the last real pause; what an onset is measured by.
    private(set) var evidence: Int64 = 0
    /// The first slot of the present turn.
    private(set) var turnStart: Int64 = .max
    /// The last slot with voice.
    private(set) var lastVoice: Int64?
    /// Voice in the newest slot, this participant's own or somebody else's.
    private(set) var hasVoice = false

    private var loudest: Float = -127
    private var isFresh = false
    private var updated: Int64?
    private var spacing: Float = 1
    private var seen = 0
    private var range = LevelRange()

    /// Takes in a level, -dBov.
    mutating func update(_ level: UInt8, voice: Bool?, slot: Int64) {
        let loudness = voice == false ? -127 : -Float(min(level, 127))
        if let updated {
            if slot > updated { spacing += (Float(min(slot &- updated, 10)) - spacing) / 8 }
        } else {
            floor = min(max(loudness, -90), -45)
        }
        loudest = isFresh ? max(loudest, loudness) : loudness
        isFresh = true
        updated = slot
    }

    /// Looks at the newest level.
    mutating func listen(_ slot: Int64, _ configuration: ActiveSpeakerConfiguration) {
        let age = updated.map { slot &- $0 } ?? .max
        isFresh = false
        guard age <= max(Self.persistence, Int64(spacing * 1.5)) else {
            hasVoice = false
            present = -127
            return
        }
        adaptFloor(loudest)
        present += (loudest - present) / 2
        let needed = floor + configuration.aboveNoise - (hasVoice ? 3 : 0)
        hasVoice = loudest > needed && loudest >= configuration.quietest
    }

    /// Counts the slot as voice or not; `isCrosstalk` where the voice is another participant's.
    mutating func judge(_ slot: Int64, isCrosstalk: Bool, _ configuration: ActiveSpeakerConfiguration) {
        let speaks = hasVoice && !isCrosstalk
        strength += ((speaks ? max(loudest + 60, 0) : 0) - strength) / 15
        guard speaks else {
            if silence(at: slot) > configuration.onsetGap.nanoseconds / Self.slot { evidence = 0 }
            return
        }
        if silence(at: slot) > configuration.hold.nanoseconds / Self.slot { turnStart = slot }
        evidence += 1
        lastVoice = slot
        guard evidence * Self.slot >= configuration.onset.nanoseconds else { return }
        let known = usual ?? loudest
        usual = known + (loudest - known) * (loudest > known ? 0.1 : 0.01)
    }

    /// Slots without voice up to `slot`.
    func silence(at slot: Int64) -> Int64 { lastVoice.map { slot &- $0 } ?? .max }

    /// Whether somebody as loud as `other` would explain what this participant's microphone picks up.
    func isExplained(by other: Float) -> Bool {
        guard hasVoice, other > present + 14 else { return false }
        return usual.map { present < $0 - 10 } ?? (other > present + 22)
    }

    /// Down quickly, up slowly; faster where the sound is too even to be speech.
    private mutating func adaptFloor(_ loudness: Float) {
        seen += 1
        let isEven = range.add(loudness) < Self.evenness && seen > 50
        if loudness < floor {
            floor = max(floor + (loudness - floor) * 0.25, -90)
        } else if floor < Self.highestFloor {
            let perSecond: Float = isEven && loudness < Self.highestFloor ? 15 : 1
            floor = min(floor + perSecond * 0.02, loudness, Self.highestFloor)
        }
    }
}

/// The distance between the loudest and the faintest of the last 50 to 100 slots.
struct LevelRange: Sendable {
    private var low: Float = 0
    private var high: Float = -127
    private var previousLow: Float = 0
    private var previousHigh: Float = -127
    private var count = 0

    /// Takes in a slot's loudness and gives the range, dB.
    mutating func add(_ loudness: Float) -> Float {
        low = min(low, loudness)
        high = max(high, loudness)
        let range = max(high, previousHigh) - min(low, previousLow)
        count += 1
        if count == 50 {
            (previousLow, previousHigh) = (low, high)
            (low, high, count) = (0, -127, 0)
        }
        return range
    }
}
