/// A message of one piece that goes beside the media.
public struct DataMessage: Sendable, Hashable {
    /// The content; LiveKit's advice is to stay below 15,000 bytes.
    public var bytes: [UInt8]
    /// What the application calls messages of this kind; may be empty.
    public var topic: String
    /// Arrives, and in order; else it arrives at once or not at all.
    public var isReliable: Bool

    /// A message from its parts.
    public init(bytes: [UInt8], topic: String = "", isReliable: Bool = true) {
        self.bytes = bytes
        self.topic = topic
        self.isReliable = isReliable
    }

    /// The content as text; nil where it is no UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }
}

/// A text that came in a stream of any length, complete.
public struct TextMessage: Sendable, Hashable {
    /// The text.
    public var text: String
    /// What the application calls messages of this kind; may be empty.
    public var topic: String
    /// Key and value pairs that the sender attached.
    public var attributes: [String: String]

    /// A text from its parts.
    public init(text: String, topic: String = "", attributes: [String: String] = [:]) {
        self.text = text
        self.topic = topic
        self.attributes = attributes
    }
}

/// A line of chat.
public struct ChatLine: Sendable, Hashable {
    /// The sender's id of the line; a later line with the same id replaces or deletes this one.
    public var id: String
    /// The text.
    public var text: String
    /// When it was sent, in milliseconds since 1970, by the sender's clock.
    public var sentAtMilliseconds: Int64
    /// When it was last changed; nil where it never was.
    public var editedAtMilliseconds: Int64?
    /// The sender took it back.
    public var isDeleted: Bool

    /// A line from its parts.
    public init(
        id: String, text: String, sentAtMilliseconds: Int64, editedAtMilliseconds: Int64? = nil, isDeleted: Bool = false
    ) {
        self.id = id
        self.text = text
        self.sentAtMilliseconds = sentAtMilliseconds
        self.editedAtMilliseconds = editedAtMilliseconds
        self.isDeleted = isDeleted
    }
}
