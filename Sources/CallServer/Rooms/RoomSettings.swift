import LiveKitProtocol

/// How one room is to be kept: the server's defaults, and what a request or a token has asked for.
struct RoomSettings: Sendable, Hashable {
    /// How long the room stays open while nobody has come, in seconds.
    var emptyTimeout: Int
    /// How long the room stays open after the last one has left, in seconds.
    var departureTimeout: Int
    /// Participants at a time; 0 leaves it to the server's own bound.
    var maxParticipants = 0
    var metadata = ""
    /// Bounds on how long receivers delay video, in milliseconds; nil leaves it to publisher and receiver.
    var playoutDelay: ClosedRange<Int>?
    /// Receivers are to play what belongs together, such as camera and microphone, in step.
    var syncsStreams = false
    /// What frames end with that the server itself puts into tracks that are encrypted end to end.
    var injectionTrailer = SessionID.trailer()

    init(_ configuration: CallServerConfiguration) {
        emptyTimeout = configuration.rooms.emptyTimeout
        departureTimeout = configuration.rooms.departureTimeout
    }
}
