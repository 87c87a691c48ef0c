/// How well a participant is connected, as the server judges it from their media.
public struct ParticipantQuality: Sendable, Hashable {
    /// The server's judgement.
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing arrives any more.
        case lost
        /// Much is missing.
        case poor
        /// Some of it is missing, or fewer layers than wanted.
        case good
        /// As it should be.
        case excellent
    }

    /// The provider's id of the participant.
    public var participantID: String
    /// The judgement.
    public var level: Level
    /// Mean opinion score, 1 (bad) to 4.5 (best); 0 where the server says none.
    public var score: Double

    /// A judgement from its parts.
    public init(participantID: String, level: Level, score: Double = 0) {
        self.participantID = participantID
        self.level = level
        self.score = score
    }
}
