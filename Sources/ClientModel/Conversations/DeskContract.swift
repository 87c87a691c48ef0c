public import ConversationModel

/// What a client says of its conversations.
public enum ConversationEvent: Sendable, Hashable {
    /// Another conversation is open, or none.
    case openChanged(Conversation?)
    /// A conversation is new to us, or changed.
    case updated(ConversationInfo)
    /// A conversation is over.
    case ended(Conversation)
    /// Somebody wrote; each message once, in its conversation's order.
    case message(ConversationMessage)
    /// What has become of a message of our own.
    case messageFate(OutgoingMessage, MessageFate)
    /// Unread messages over all conversations.
    case unread(Int)
    /// Whether an agent is there to answer.
    case availability(Bool)
    /// A file of a conversation has come whole, or was kept back.
    case file(ConversationFile)
}

extension ConversationDesk {
    /// What goes in.
    package enum Input: Sendable {
        /// The connection stands, and this is what there is.
        case online(ConversationSnapshot)
        case offline
        case notice(ConversationNotice)
        /// Messages that were missing.
        case page(conversation: String, [ConversationMessage])
        /// Begin a conversation. `clientId` is new.
        case begin(waiter: Int, clientId: String, type: ConversationType, data: [String: String])
        /// The interceptor's answer.
        case intercepted(clientId: String, Result<[String: String], ClientError>)
        /// The interceptor's time is over.
        case interceptorTimeout(clientId: String)
        /// The service's answer to `create`. Nil: none came, and it is to be asked again.
        case created(clientId: String, Result<Conversation, ClientError>?)
        /// It is time to ask again.
        case createAgain(clientId: String)
        /// Open a conversation that exists.
        case open(waiter: Int, conversation: String)
        /// Close the one that is open; it goes on.
        case close
        case write(OutgoingMessage)
        /// The service's answer to `send`. Nil: none came, and it is to be tried again.
        case sent(String, conversation: String, Result<ConversationMessage, ClientError>?)
        /// It is time to send again what failed.
        case resend(conversation: String)
        case callChanged(conversation: String, isActive: Bool)
        /// The client stops.
        case stop(ClientError)
    }

    /// What is to be done.
    package enum Action: Sendable, Hashable {
        case intercept(clientId: String, ConversationType, data: [String: String])
        case create(ConversationRequest)
        /// After a pause, `createAgain`.
        case createLater(clientId: String)
        case send(OutgoingMessage)
        /// After a pause, `resend`.
        case resendLater(conversation: String)
        /// Answer with `page`.
        case fetchMessages(conversation: String, after: Int64)
        case answer(waiter: Int, Result<Conversation, ClientError>)
        case startCall(conversation: String, ConversationCallType)
        case joinCall(conversation: String, ConversationCallType)
        case endCall(conversation: String)
        case report(ConversationEvent)
    }

    /// What a desk is made with.
    package struct Settings: Sendable, Hashable {
        package var role: PersonRole
        package var hasInterceptor = false
        package var interceptorTimeoutPolicy = ClientConfiguration.InterceptorTimeout.refuse
        package var queuedMessages = 1_000
        /// Where new conversations queue.
        package var area: String?

        package init(role: PersonRole) { self.role = role }
    }
}
