import RTCWire

/// Who speaks in a room, by LiveKit's rule: every 400 ms the participants whose loudest track is above the threshold, with
/// levels in eighths, and of that only what has changed.
package struct SpeakerDetector: Sendable {
    /// One participant's level.
    package struct Speaker: Sendable, Hashable {
        package var participant: String
        /// 0, or a multiple of 1/8 up to 1.
        package var level: Float
        package var isActive: Bool { level > 0 }

        package init(participant: String, level: Float) {
            self.participant = participant
            self.level = level
        }
    }

    /// How often `update` is meant to be called.
    package static let interval = Interval.milliseconds(400)

    private let threshold: Double
    private var reported: [String: Float] = [:]

    package init(parameters: SpeakerLevel.Parameters = .init()) {
        threshold = SpeakerLevel.amplitude(of: parameters.activeLevel)
    }

    /// Takes the present levels (linear, one entry per track; several of one participant count as the loudest) and gives
    /// what has changed since the last call, the loudest first, those who fell silent last.
    package mutating func update(_ levels: [(participant: String, level: Double)]) -> [Speaker] {
        var loudest: [String: Double] = [:]
        for entry in levels { loudest[entry.participant] = max(loudest[entry.participant] ?? 0, entry.level) }
        var current: [String: Float] = [:]
        for (participant, level) in loudest where level >= threshold {
            current[participant] = SpeakerDetector.quantized(level)
        }
        var changes = current.filter { reported[$0.key] != $0.value }
            .map { Speaker(participant: $0.key, level: $0.value) }
        changes += reported.keys.filter { current[$0] == nil }.map { Speaker(participant: $0, level: 0) }
        reported = current
        return changes.sorted { ($1.level, $0.participant) < ($0.level, $1.participant) }
    }

    /// What was last said of a participant: sent to those who subscribe later.
    package func level(of participant: String) -> Float { reported[participant] ?? 0 }

    /// Everybody who speaks, the loudest first.
    package var speakers: [Speaker] {
        reported.map { Speaker(participant: $0.key, level: $0.value) }
            .sorted { ($1.level, $0.participant) < ($0.level, $1.participant) }
    }

    /// Forgets a participant who has left.
    package mutating func remove(_ participant: String) { reported[participant] = nil }

    /// Rounded up to eighths.
    static func quantized(_ level: Double) -> Float { Float(min((level * 8).rounded(.up), 8) / 8) }
}
