/// What every journal of every provider keeps to.
public enum JournalRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// A call's first event is `initiated`, and there is one.
    case initiatedOnceAndFirst = "INITIATED_ONCE_AND_FIRST"
    /// Times don't go back: neither of the events of a call nor initiated, accepted, established, ended.
    case monotoneTimes = "MONOTONE_TIMES"
    /// A call is accepted once at most, after somebody other than the initiator joined.
    case acceptedByJoining = "ACCEPTED_BY_JOINING"
    /// Joined, connected, left, in this order, each once a visit.
    case personInOrder = "PERSON_IN_ORDER"
    /// Everybody who joined leaves exactly once, before the end.
    case oneLeftPerJoined = "ONE_LEFT_PER_JOINED"
    /// Established once, as soon as two are connected, and not before.
    case establishedByTwo = "ESTABLISHED_BY_TWO"
    /// A call ends once, and nothing follows.
    case endedOnceAndLast = "ENDED_ONCE_AND_LAST"
    /// A device that rings gets one of: its person answers on it, it is revoked, the call was missed.
    case oneOutcomePerRing = "ONE_OUTCOME_PER_RING"
    /// An event has the fields that its kind has.
    case completeFields = "COMPLETE_FIELDS"
    /// An id comes once.
    case uniqueIDs = "UNIQUE_IDS"
    /// A loss of somebody's media is followed by its return or by their leaving, and doesn't come twice in a row.
    case reconnectionInOrder = "RECONNECTION_IN_ORDER"
    /// A conversation has one call at a time: what happens in it would else be written into the wrong one.
    case oneCallPerConversation = "ONE_CALL_PER_CONVERSATION"
}

/// A journal that breaks a rule.
public struct JournalViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call.
    public var callId: String
    /// The rule.
    public var rule: JournalRule
    /// The event that breaks it, or the last one before it was found out.
    public var eventId: String
    /// What is wrong, for people.
    public var detail: String

    /// `call c: ONE_LEFT_PER_JOINED: ...`
    public var description: String { "call \(callId): \(rule.rawValue): \(detail) (event \(eventId))" }
}
