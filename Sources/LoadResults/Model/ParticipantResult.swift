/// What one participant did and got.
package struct ParticipantResult: Codable, Sendable, Equatable {
    package var identity: String
    package var room: String
    package var role: ParticipantRole
    /// Seconds since the beginning of the run: when it began to join, and when it was gone.
    package var startSecond = 0.0
    package var endSecond: Double?
    /// Milliseconds from the beginning of its join to connected media; nil where that never came about.
    package var joinMs: Double?
    /// Milliseconds from the same moment to the first packet of sound, and to the first whole picture.
    package var firstAudioMs: Double?
    package var firstVideoMs: Double?
    /// Mean milliseconds.
    package var roundTripTimeMs: Double?
    package var reconnects = 0
    package var audio = MediaCounters()
    package var video = MediaCounters()
    package var timeline: ParticipantTimeline?
    package var endReason: EndReason = .left
    /// Words for people, where it did not leave as planned.
    package var failure: String?

    package init(identity: String, room: String, role: ParticipantRole) {
        self.identity = identity
        self.room = room
        self.role = role
    }
}

/// What a participant was there for.
package enum ParticipantRole: String, Codable, Sendable {
    case publisher, subscriber, both
}

/// How a participant's stay ended.
package enum EndReason: String, Codable, Sendable, CaseIterable {
    /// As planned.
    case left
    /// It never got in.
    case joinFailed
    /// Its connection was lost and did not come back.
    case disconnected
    /// The server put it out.
    case removed
    /// The run ended before its time.
    case interrupted
    /// Of a later release.
    case other

    package init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// What a participant received over time, in columns of equal length: one entry for each `intervalSeconds`. Columns of what
/// was not measured are empty.
package struct ParticipantTimeline: Codable, Sendable, Equatable {
    /// Seconds since the beginning of the run at which the first interval begins.
    package var startSecond: Int
    package var intervalSeconds = 1
    /// Audio and video together.
    package var packetsExpected: [Int] = []
    package var packetsLost: [Int] = []
    package var bytesReceived: [Int] = []
    /// Milliseconds in which pictures stood still.
    package var frozenMs: [Int] = []
    /// The spatial layer or simulcast encoding that came: 0 is the smallest, -1 none.
    package var spatialLayer: [Int] = []

    package init(startSecond: Int, intervalSeconds: Int = 1) {
        self.startSecond = startSecond
        self.intervalSeconds = intervalSeconds
    }
}
