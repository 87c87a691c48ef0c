/// All that is known of one call: what a server stores and its search finds.
///
/// *Accepted* and *established* are different moments: a call is accepted when the first one answers and their connection
/// phase begins, and established when two people are connected to the provider. Ring time ends at the first, connect time
/// at the second.
public struct CallRecord: Sendable, Hashable, Codable {
    /// The call's own id.
    public var id: String
    /// The account that it belongs to.
    public var accountId: String
    /// The conversation that it belongs to.
    public var conversationId: String
    /// The provider's id of the call.
    public var serviceProviderCallId: String
    /// The provider's name, `LIVEKIT` for example. It is fixed with the call.
    public var serviceProviderType: String
    /// Who placed it.
    public var initiatorPersonId: String
    /// What it was placed as, or what it has become: pictures added to a call of sound make it one of video.
    public var callType: CallType
    /// When it was placed.
    public var initiationTimestamp: CallTime?
    /// When the first one answered.
    public var acceptTimestamp: CallTime?
    /// When two were connected.
    public var establishedTimestamp: CallTime?
    /// When it ended.
    public var endTimestamp: CallTime?
    /// Why it ended.
    public var endReason: CallEndReason?
    /// Who was asked or there, one entry a visit, in order.
    public var participations: [CallParticipation] = []

    /// A call that has not been placed yet.
    public init(
        id: String, accountId: String = "", conversationId: String, serviceProviderCallId: String,
        serviceProviderType: String, initiatorPersonId: String, callType: CallType
    ) {
        self.id = id
        self.accountId = accountId
        self.conversationId = conversationId
        self.serviceProviderCallId = serviceProviderCallId
        self.serviceProviderType = serviceProviderType
        self.initiatorPersonId = initiatorPersonId
        self.callType = callType
    }

    /// Milliseconds from placing to the first answer; nil while there is none.
    public var ringMilliseconds: Int64? {
        guard let initiationTimestamp else { return nil }
        return acceptTimestamp?.milliseconds(since: initiationTimestamp)
    }

    /// Milliseconds from the first answer to two connected people; nil before.
    public var connectMilliseconds: Int64? {
        guard let acceptTimestamp else { return nil }
        return establishedTimestamp?.milliseconds(since: acceptTimestamp)
    }
}

/// One person's part in a call, from ringing to leaving.
public struct CallParticipation: Sendable, Hashable, Codable {
    /// Who.
    public var personId: String
    /// When their devices began to ring; nil for the one who called.
    public var ringingTimestamp: CallTime?
    /// When they answered and their connection phase began; for the initiator when the call was placed.
    public var joinedTimestamp: CallTime?
    /// When they were connected to the provider.
    public var connectedTimestamp: CallTime?
    /// When they left, or were no longer asked.
    public var leftTimestamp: CallTime?
    /// Why they left.
    public var leftReason: ParticipantLeftReason?
    /// What they publish and published.
    public var publications: [CallPublication] = []

    /// Somebody who neither rang nor joined yet.
    public init(personId: String) { self.personId = personId }

    /// Whether they are in the call now.
    public var isPresent: Bool { joinedTimestamp != nil && leftTimestamp == nil }
    /// Whether they are in the call and connected.
    public var isConnected: Bool { isPresent && connectedTimestamp != nil }
}

/// Something that a participant gives to a call.
public enum CallPublication: Sendable, Hashable, Codable {
    /// Media through the provider.
    case media(PublishedMedia, since: CallTime)
    /// A telephone that was dialled into the call.
    case dialIn(DialIn)

    /// A telephone in a call.
    public struct DialIn: Sendable, Hashable, Codable {
        /// Who carries it.
        public var dialInServiceProviderType: String
        /// The provider's id of it.
        public var dialInId: String
        /// The number.
        public var dialInNumber: String
        /// When it began.
        public var startTimestamp: CallTime
        /// When it ended.
        public var endTimestamp: CallTime?

        /// A telephone that has just been connected.
        public init(provider: String, id: String, number: String, start: CallTime) {
            dialInServiceProviderType = provider
            dialInId = id
            dialInNumber = number
            startTimestamp = start
        }
    }
}
