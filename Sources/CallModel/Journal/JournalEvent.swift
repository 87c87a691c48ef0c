/// One line of a call's journal.
///
/// Every line has the fields down to `callType`; the others appear where they belong to the event. `id` and `callId` are
/// ours: the vendor's events name the call by its conversation and its provider's id.
public struct JournalEvent: Sendable, Hashable {
    /// What happened.
    public var eventType: JournalEventType
    /// When it was written down.
    public var timestamp: CallTime
    /// Unique in a call, the same on every delivery.
    public var id: String
    /// The call.
    public var callId: String
    /// The account.
    public var accountId: String
    /// The conversation.
    public var conversationId: String
    /// The provider's id of the call.
    public var serviceProviderCallId: String
    /// The provider.
    public var serviceProviderType: String
    /// Who placed the call.
    public var initiatorPersonId: String
    /// What the call was placed as.
    public var callType: CallType

    /// When the call was placed.
    public var initiationTimestamp: CallTime?
    /// When the first one answered.
    public var acceptTimestamp: CallTime?
    /// When two were connected.
    public var establishedTimestamp: CallTime?
    /// When the call ended.
    public var endTimestamp: CallTime?
    /// Why the call ended.
    public var endReason: CallEndReason?

    /// Whom it is about.
    public var personId: String?
    /// When they answered.
    public var joinedTimestamp: CallTime?
    /// When they were connected.
    public var connectedTimestamp: CallTime?
    /// When they left.
    public var leftTimestamp: CallTime?
    /// Why they left.
    public var leftReason: ParticipantLeftReason?
    /// What they publish.
    public var publishedMedia: PublishedMedia?

    /// Whose devices ring, or no longer.
    public var recipient: Recipient?
    /// The recipient's language, BCP 47.
    public var locale: String?
    /// The devices.
    public var deviceTokens: [String]?
    /// The one of them that answered; on `participantJoined`.
    public var deviceToken: String?
    /// Where the call stood.
    public var callState: CallPhase?
    /// When the call was placed, as devices are told.
    public var callStartTimestamp: CallTime?
    /// The caller's name for people.
    public var callerName: String?
    /// The caller.
    public var callerPersonId: String?
    /// Why it was missed.
    public var callEndReason: MissedReason?

    /// Who carries a telephone.
    public var dialInServiceProviderType: String?
    /// The provider's id of a telephone.
    public var dialInId: String?
    /// A telephone's number.
    public var dialInNumber: String?
    /// When a telephone was connected.
    public var startTimestamp: CallTime?

    /// How long media was away.
    public var gapMilliseconds: Int64?
    /// Which rule is broken.
    public var rule: JournalRule?
    /// More, for people.
    public var detail: String?

    /// Somebody whose devices ring.
    public struct Recipient: Sendable, Hashable, Codable {
        /// The person's id.
        public var id: String

        /// A person.
        public init(id: String) { self.id = id }
    }

    /// An event of a call, with nothing but what all events have.
    public init(_ type: JournalEventType, of call: CallRecord, id: String, at time: CallTime) {
        eventType = type
        timestamp = time
        self.id = id
        callId = call.id
        accountId = call.accountId
        conversationId = call.conversationId
        serviceProviderCallId = call.serviceProviderCallId
        serviceProviderType = call.serviceProviderType
        initiatorPersonId = call.initiatorPersonId
        callType = call.callType
    }

    /// The event that says of `cause` that it breaks a rule.
    public init(_ violation: JournalViolation, caused cause: JournalEvent, number: Int) {
        self = cause
        eventType = .violation
        id = "\(cause.callId)!\(number)"
        rule = violation.rule
        detail = violation.detail
    }
}
