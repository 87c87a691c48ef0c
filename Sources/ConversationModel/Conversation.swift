/// Who somebody is in a conversation.
public enum PersonRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// Asks: a customer.
    case visitor = "VISITOR"
    /// Answers: staff.
    case agent = "AGENT"
}

/// What a conversation was begun for.
public enum ConversationType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Text.
    case chat = "CHAT_REQUEST"
    /// A call of sound.
    case audio = "AUDIO_REQUEST"
    /// A call of sound and pictures.
    case video = "VIDEO_REQUEST"
    /// To share the screen.
    case coBrowsing = "MOBILE_COBROWSING_REQUEST"
    /// By appointment.
    case scheduled = "SCHEDULED_CONVERSATION"
}

/// Where a conversation stands.
public enum ConversationState: String, Sendable, Hashable, Codable {
    /// In the queue: no agent has come yet.
    case queued = "QUEUED"
    /// An agent is in it.
    case active = "ACTIVE"
    /// Over. Nothing is written into it any more.
    case ended = "ENDED"
}

/// What a call of a conversation is for.
public enum ConversationCallType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound.
    case audio = "AUDIO"
    /// Sound and pictures.
    case video = "VIDEO"
}

/// A conversation as its service has it.
public struct Conversation: Sendable, Hashable, Codable, Identifiable {
    /// Somebody who takes part.
    public struct Participant: Sendable, Hashable, Codable {
        /// Who.
        public var personId: String
        /// As what.
        public var role: PersonRole
        /// Messages up to this number have been read.
        public var read: Int64

        /// A participant from its parts.
        public init(personId: String, role: PersonRole, read: Int64 = 0) {
            self.personId = personId
            self.role = role
            self.read = read
        }
    }

    /// The call that is under way in it.
    public struct Call: Sendable, Hashable, Codable {
        /// What it is for.
        public var callType: ConversationCallType
        /// Who began it.
        public var startedBy: String

        /// A call from its parts.
        public init(callType: ConversationCallType, startedBy: String) {
            self.callType = callType
            self.startedBy = startedBy
        }
    }

    /// Given by the service.
    public var id: String
    /// What it was begun for.
    public var type: ConversationType
    /// Where it stands.
    public var state = ConversationState.queued
    /// The area whose agents are asked; nil for all.
    public var area: String?
    /// What the application said of the visitor when it was begun.
    public var data: [String: String] = [:]
    /// Whoever comes joins its call, and whoever begins it starts one.
    public var autoJoinsCall = false
    /// The call that is under way.
    public var call: Call?
    /// Who shares their screen in it; nil where nobody does.
    public var sharedBy: String?
    /// In the order they came.
    public var participants: [Participant] = []
    /// The number of its newest message; 0 where there is none.
    public var lastMessage: Int64 = 0
    /// When it was begun: milliseconds of Unix time.
    public var createdAt: Int64 = 0

    /// A conversation that has just been begun.
    public init(id: String, type: ConversationType) {
        self.id = id
        self.type = type
    }

    /// The participant of that name.
    public func participant(_ personId: String) -> Participant? { participants.first { $0.personId == personId } }
}

/// A text that somebody wrote.
public struct ConversationMessage: Sendable, Hashable, Codable, Identifiable {
    /// Where.
    public var conversationId: String
    /// Its place in the conversation: 1, 2, 3 and so on, without gaps.
    public var number: Int64
    /// The name that its author's client gave it: whatever is sent twice is one message.
    public var clientId: String
    /// Who wrote it.
    public var author: String
    /// 1 to 8,192 bytes of UTF-8.
    public var text: String
    /// When the service took it: milliseconds of Unix time.
    public var sentAt: Int64

    /// Unique over all conversations.
    public var id: String { "\(conversationId)/\(number)" }

    /// A message from its parts.
    public init(
        conversationId: String, number: Int64, clientId: String, author: String, text: String, sentAt: Int64
    ) {
        self.conversationId = conversationId
        self.number = number
        self.clientId = clientId
        self.author = author
        self.text = text
        self.sentAt = sentAt
    }
}
