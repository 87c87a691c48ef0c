/// `POST .../conversations`: begins a conversation.
public struct ConversationRequest: Sendable, Hashable, Codable {
    /// The name that the client gives it: asked twice with one name, there is one conversation.
    public var clientId: String
    /// What it is for.
    public var type: ConversationType
    /// The area whose agents are asked.
    public var area: String?
    /// What the application says of the visitor.
    public var data: [String: String]?
    /// Nil leaves it to the service's template.
    public var autoJoinsCall: Bool?

    /// A request from its parts.
    public init(
        clientId: String, type: ConversationType, area: String? = nil, data: [String: String]? = nil,
        autoJoinsCall: Bool? = nil
    ) {
        self.clientId = clientId
        self.type = type
        self.area = area
        self.data = data
        self.autoJoinsCall = autoJoinsCall
    }
}

/// `PUT .../messages/{clientId}`: writes a message.
package struct MessageRequest: Sendable, Hashable, Codable {
    package var text: String

    package init(text: String) { self.text = text }
}

/// `PUT .../read`: everything up to a message has been read.
package struct ReadRequest: Sendable, Hashable, Codable {
    package var number: Int64

    package init(number: Int64) { self.number = number }
}

/// `PUT .../availability`: an agent is there, or no longer.
package struct AvailabilityRequest: Sendable, Hashable, Codable {
    package var isAvailable: Bool

    package init(isAvailable: Bool) { self.isAvailable = isAvailable }
}

/// `PUT .../call`: a call is under way.
package struct CallRequest: Sendable, Hashable, Codable {
    package var callType: ConversationCallType

    package init(callType: ConversationCallType) { self.callType = callType }
}

/// `GET .../messages?after=N`: what was written since.
package struct MessagePage: Sendable, Hashable, Codable {
    /// In order.
    package var messages: [ConversationMessage]
    /// Whether there is more after them.
    package var hasMore: Bool

    package init(messages: [ConversationMessage], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}

/// A conversation as one person sees it.
public struct ConversationInfo: Sendable, Hashable, Codable {
    /// The conversation.
    public var conversation: Conversation
    /// Messages of others that the person has not read.
    public var unread: Int

    /// An entry from its parts.
    public init(conversation: Conversation, unread: Int) {
        self.conversation = conversation
        self.unread = unread
    }
}

/// `GET .../conversations`, and the first thing that a socket says: what there is for a person.
public struct ConversationSnapshot: Sendable, Hashable, Codable {
    /// Who we are to the service.
    public var personId: String
    /// As what.
    public var role: PersonRole
    /// Conversations that are not over: one's own, and for agents the queue.
    public var conversations: [ConversationInfo]
    /// Whether an agent is there to answer.
    public var isAvailable: Bool

    /// A snapshot from its parts.
    public init(personId: String, role: PersonRole, conversations: [ConversationInfo], isAvailable: Bool) {
        self.personId = personId
        self.role = role
        self.conversations = conversations
        self.isAvailable = isAvailable
    }
}

/// What a socket says, one JSON object a message.
public struct ConversationNotice: Sendable, Hashable, Codable {
    /// What it is about, and which field holds it.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Everything, once at the beginning: `snapshot`.
        case snapshot = "SNAPSHOT"
        /// A conversation is new, changed or over: `info`.
        case conversation = "CONVERSATION"
        /// Somebody wrote: `message`, and in `info` how the conversation stands then.
        case message = "MESSAGE"
        /// Agents came or went: `isAvailable`.
        case availability = "AVAILABILITY"
        /// A file has come whole, or was kept back: `file`.
        case file = "FILE"
    }

    /// What it is about.
    public var type: Kind
    /// With `snapshot`.
    public var snapshot: ConversationSnapshot?
    /// With `conversation` and `message`.
    public var info: ConversationInfo?
    /// With `message`.
    public var message: ConversationMessage?
    /// With `availability`.
    public var isAvailable: Bool?
    /// With `file`.
    public var file: ConversationFile?

    /// A notice without its content.
    public init(_ type: Kind) { self.type = type }

    /// The first notice.
    public static func snapshot(_ snapshot: ConversationSnapshot) -> ConversationNotice {
        var notice = ConversationNotice(.snapshot)
        notice.snapshot = snapshot
        return notice
    }

    /// A conversation as it is now.
    public static func conversation(_ info: ConversationInfo) -> ConversationNotice {
        var notice = ConversationNotice(.conversation)
        notice.info = info
        return notice
    }

    /// A message, and how its conversation stands with it.
    public static func message(_ message: ConversationMessage, _ info: ConversationInfo) -> ConversationNotice {
        var notice = ConversationNotice(.message)
        notice.message = message
        notice.info = info
        return notice
    }

    /// Whether an agent is there.
    public static func availability(_ isAvailable: Bool) -> ConversationNotice {
        var notice = ConversationNotice(.availability)
        notice.isAvailable = isAvailable
        return notice
    }

    /// A file as it is now.
    public static func file(_ file: ConversationFile) -> ConversationNotice {
        var notice = ConversationNotice(.file)
        notice.file = file
        return notice
    }
}
