/// What a journal's line is about. The names are those of the vendor's webhooks, but for `callbridge.*`, which are ours.
public enum JournalEventType: String, Sendable, Hashable, Codable, CaseIterable {
    /// The call was placed.
    case initiated = "conversation.call.initiated"
    /// Somebody answered; also for the one who placed it.
    case participantJoined = "conversation.call.participant.joined"
    /// The first one answered.
    case accepted = "conversation.call.accepted"
    /// Somebody's connection to the provider stands.
    case participantConnected = "conversation.call.participant.connected"
    /// Two are connected.
    case established = "conversation.call.established"
    /// Somebody left, or is no longer asked.
    case participantLeft = "conversation.call.participant.left"
    /// A telephone was connected.
    case dialInStarted = "conversation.call.dial_in_publication.started"
    /// A telephone was disconnected.
    case dialInEnded = "conversation.call.dial_in_publication.ended"
    /// The call is over.
    case ended = "conversation.call.ended"
    /// Devices of somebody begin to ring.
    case incomingCall = "push_notification.incoming_call"
    /// They ring no longer.
    case revokeCall = "push_notification.revoke_call"
    /// They rang in vain.
    case missedCall = "push_notification.missed_call"
    /// Media or signalling was lost; the call has not ended.
    case reconnecting = "callbridge.call.reconnecting"
    /// It is back, after `gapMilliseconds`.
    case reconnected = "callbridge.call.reconnected"
    /// What somebody publishes changed.
    case publicationChanged = "callbridge.call.publication.changed"
    /// Another provider was chosen; `detail` says why.
    case providerChanged = "callbridge.call.provider.changed"
    /// The journal breaks a rule; `rule` and `detail` say which and how.
    case violation = "callbridge.journal.violation"

    /// The vendor's name of the event's schema; ours have none.
    public var schema: String? {
        switch self {
        case .initiated: "CallInitiatedEvent"
        case .participantJoined: "CallParticipantJoinedEvent"
        case .accepted: "CallAcceptedEvent"
        case .participantConnected: "CallParticipantConnectedEvent"
        case .established: "CallEstablishedEvent"
        case .participantLeft: "CallParticipantLeftEvent"
        case .dialInStarted: "CallDialInPublicationStartedEvent"
        case .dialInEnded: "CallDialInPublicationEndedEvent"
        case .ended: "CallEndedEvent"
        case .incomingCall: "IncomingCallPushNotificationEvent"
        case .revokeCall: "RevokeCallPushNotificationEvent"
        case .missedCall: "MissedCallPushNotificationEvent"
        case .reconnecting, .reconnected, .publicationChanged, .providerChanged, .violation: nil
        }
    }
}
