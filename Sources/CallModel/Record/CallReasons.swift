/// Why a call ended.
public enum CallEndReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody answered in time.
    case notAnswered = "NOT_ANSWERED"
    /// The initiator gave up before anybody answered.
    case abortedByInitiator = "ABORTED_BY_INITIATOR"
    /// It was declined.
    case declined = "DECLINED"
    /// Nobody was available.
    case declinedBecauseUnavailable = "DECLINED_BECAUSE_UNAVAILABLE"
    /// The last participant whom the call needs has left, by hanging up.
    case lastMandatoryParticipantLeft = "LAST_MANDATORY_PARTICIPANT_LEFT"
    /// The conversation was ended.
    case conversationEnded = "CONVERSATION_ENDED"
    /// A participant did not agree to the recording.
    case recordingDenied = "RECORDING_DENIED"
    /// The server is going down, or the connection is lost for good.
    case systemShutdown = "SYSTEM_SHUTDOWN"
    /// Something else; the detail says more.
    case unknown = "UNKNOWN"
}

/// Why we are out of a call that goes on for the others.
public enum CallExclusion: String, Sendable, Hashable, Codable, CaseIterable {
    /// Somebody removed us.
    case removed = "REMOVED"
    /// Somebody joined with our identity and has taken our place.
    case duplicateIdentity = "DUPLICATE_IDENTITY"
}

/// Why a participant left.
public enum ParticipantLeftReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// They hung up.
    case hangUp = "HANG_UP"
    /// They did not answer in time.
    case missedBecauseTimeout = "MISSED_BECAUSE_TIMEOUT"
    /// The call was over before they answered.
    case missedBecauseTerminated = "MISSED_BECAUSE_TERMINATED"
    /// The call ended.
    case callEnded = "CALL_ENDED"
    /// The call was aborted.
    case callAborted = "CALL_ABORTED"
    /// Their telephone connection ended.
    case dialInEnded = "DIAL_IN_ENDED"
    /// Somebody removed them.
    case removed = "REMOVED"
    /// The system gave them up: the connection was lost, or the server went down.
    case systemAbort = "SYSTEM_ABORT"
    /// Not known.
    case unknown = "UNKNOWN"
}

/// Why somebody whose device rang was not in the call.
public enum MissedReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// It rang for as long as it may.
    case timeout = "MISSED_BECAUSE_TIMEOUT"
    /// The call was over before they answered.
    case terminated = "MISSED_BECAUSE_TERMINATED"
    /// They could not be reached.
    case unavailable = "MISSED_BECAUSE_UNAVAILABLE"
}
