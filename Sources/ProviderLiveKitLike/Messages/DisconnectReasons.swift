import CallBridge
import LiveKitProtocol

/// LiveKit's reasons in the words of the call model.
extension CallEndReason {
    /// Why the call is over for us where the server ends our participation with that reason.
    init(_ reason: Livekit_DisconnectReason) {
        self =
            switch reason {
            case .clientInitiated: .lastMandatoryParticipantLeft
            case .roomDeleted, .roomClosed: .conversationEnded
            case .userUnavailable: .declinedBecauseUnavailable
            case .userRejected: .declined
            case .serverShutdown, .stateMismatch, .joinFailure, .migration, .signalClose, .connectionTimeout,
                .mediaFailure, .sipTrunkFailure, .agentError:
                .systemShutdown
            // The call goes on without us; the detail says what happened.
            case .unknownReason, .duplicateIdentity, .participantRemoved, .UNRECOGNIZED: .unknown
            }
    }
}

extension CallExclusion {
    /// Where the call goes on without us; nil where it is over, or the server is gone.
    init?(_ reason: Livekit_DisconnectReason) {
        switch reason {
        case .participantRemoved: self = .removed
        case .duplicateIdentity: self = .duplicateIdentity
        default: return nil
        }
    }
}

extension ParticipantLeftReason {
    /// Why somebody else is gone.
    init(_ reason: Livekit_DisconnectReason) {
        self =
            switch reason {
            case .clientInitiated: .hangUp
            case .participantRemoved: .removed
            case .roomDeleted, .roomClosed: .callEnded
            case .userUnavailable: .missedBecauseTimeout
            case .sipTrunkFailure: .dialInEnded
            case .serverShutdown, .stateMismatch, .joinFailure, .migration, .signalClose, .connectionTimeout,
                .mediaFailure, .agentError:
                .systemAbort
            case .unknownReason, .duplicateIdentity, .userRejected, .UNRECOGNIZED: .unknown
            }
    }
}

extension Livekit_DisconnectReason {
    /// The same where we have not been let in yet: a server that takes nobody more says `joinFailure`.
    var refusal: String {
        guard self == .joinFailure else { return explanation }
        return "it lets nobody more in; most likely the room or the server is full; "
            + "wait until somebody leaves, or have the room made for more participants"
    }

    /// For the detail of `ended`: what the server means, for people.
    var explanation: String {
        switch self {
        case .clientInitiated: "we left"
        case .duplicateIdentity: "somebody joined with the same identity"
        case .serverShutdown: "the server is shutting down"
        case .participantRemoved: "we were removed from the call"
        case .roomDeleted: "the room was deleted"
        case .stateMismatch: "the server no longer knows this session"
        case .joinFailure: "the server saw no media connection in time"
        case .migration: "the server moved the session"
        case .signalClose: "the signalling connection was closed"
        case .roomClosed: "the room was closed"
        case .userUnavailable: "the called user is not available"
        case .userRejected: "the called user declined"
        case .sipTrunkFailure: "the telephone connection failed"
        case .connectionTimeout: "the connection timed out"
        case .mediaFailure: "the media connection failed"
        case .agentError: "an agent failed"
        case .unknownReason: "the server gave no reason"
        case .UNRECOGNIZED(let number): "the server gave the unknown reason \(number)"
        }
    }
}
