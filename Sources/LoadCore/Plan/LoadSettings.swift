import RTCWire

/// What a load test is asked for. Counts are of each room; times are in seconds.
package struct LoadSettings: Sendable, Equatable {
    package var rooms = 1
    /// The first so many participants of a room publish sound, the first so many publish pictures: who does both is one
    /// participant.
    package var audioPublishers = 0
    package var videoPublishers = 0
    package var subscribers = 0
    /// Publishers receive the others, too.
    package var publishersSubscribe = false
    package var room = "load"
    /// Names of the rooms where they are given; then there are as many rooms.
    package var roomNames: [String] = []
    package var identityPrefix = "load"
    /// After everybody has arrived.
    package var duration = 60.0
    package var arrival = ArrivalCurve.ramp(perSecond: 20)
    /// The whole is done so many times, and everybody leaves in between.
    package var cycles = 1
    /// Publishers take turns; else everybody talks all the time.
    package var simulatesSpeakers = false
    /// A publisher mutes its microphone about that often, for a third of the time; nil for never.
    package var muteInterval: Double?
    /// Messages a second of each publisher.
    package var messagesPerSecond = 0.0
    /// Remote procedure calls a second that each participant who doesn't publish makes of a publisher of its room; where all
    /// publish, each of them calls another.
    package var callsPerSecond = 0.0
    /// When all lose their connection at once, after everybody has arrived; nil for never.
    package var reconnectStorm: Double?
    /// The first so many subscribers of the run decode what they get.
    package var decoders = 0
    package var seed: UInt64 = 1
    /// The part that this process does; nil for all.
    package var shard: LoadShard?

    package init() {}

    /// Participants of a room that publish.
    package var publishers: Int { max(audioPublishers, videoPublishers) }
    /// Participants of a room at a time.
    package var participantsPerRoom: Int { publishers + subscribers }
    /// Participants at a time.
    package var participants: Int { rooms * participantsPerRoom }
}

/// How participants arrive.
package enum ArrivalCurve: Sendable, Equatable {
    /// One after the other, at an even pace.
    case ramp(perSecond: Double)
    /// All at once.
    case burst
    /// As with `ramp`; then so many subscribers a minute come, each of which takes the place of the one who was there longest.
    case churn(perSecond: Double, joinsPerMinute: Double)

    /// The pace of the beginning; nil for all at once.
    var perSecond: Double? {
        switch self {
        case .ramp(let pace), .churn(let pace, _): pace
        case .burst: nil
        }
    }
}
