/// What a notification is about.
public enum NotificationKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Somebody wrote.
    case message = "MESSAGE"
    /// A call rings.
    case incomingCall = "INCOMING_CALL"
    /// A call has rung in vain.
    case missedCall = "MISSED_CALL"
}

/// Where the application is when a notification comes.
public enum ApplicationPresence: String, Sendable, Hashable, CaseIterable {
    /// Not to be seen, or not running.
    case background
    /// To be seen, and the client's view is not.
    case viewClosed
    /// The client's view is to be seen.
    case viewOpen
}

/// What is done with a notification.
public enum NotificationPresentation: Sendable, Hashable {
    /// It is shown by the system, with its default sound.
    case notify
    /// The application is asked to show the client's view.
    case requestView
    /// Nothing: the user sees it in the view.
    case nothing

    /// The visibility table.
    public static func decide(_ kind: NotificationKind, _ presence: ApplicationPresence) -> NotificationPresentation {
        switch (presence, kind) {
        case (.background, _): .notify
        case (.viewClosed, .incomingCall): .requestView
        case (.viewClosed, .message), (.viewClosed, .missedCall): .notify
        case (.viewOpen, _): .nothing
        }
    }
}

/// What a notification says.
public struct NotificationContent: Sendable, Hashable, Codable {
    /// Unique: the same one is shown once.
    public var id: String
    /// What it is about.
    public var kind: NotificationKind
    /// The conversation that it is about.
    public var conversationId: String
    /// Its first line; nil leaves what is there.
    public var title: String?
    /// Its text; nil leaves what is there.
    public var text: String?
    /// The call that rings, or rang.
    public var callId: String?
    /// Of a call that rings: `AUDIO` or `VIDEO`.
    public var callType: String?
    /// Of a call: who calls.
    public var callerId: String?
    /// Of a call: when it was placed, milliseconds of Unix time.
    public var callStartedAt: Int64?
    /// Until when it means anything, milliseconds of Unix time.
    public var expiresAt: Int64

    /// A notification from its parts.
    public init(
        id: String, kind: NotificationKind, conversationId: String, title: String? = nil, text: String? = nil,
        callId: String? = nil, expiresAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.conversationId = conversationId
        self.title = title
        self.text = text
        self.callId = callId
        self.expiresAt = expiresAt
    }
}
