/// Who wrote a comment.
public struct DeskAuthor: Sendable, Hashable, Codable {
    /// For people.
    public var name: String
    /// The picture to show; nil for none.
    public var avatarID: Int64?
    /// `#rrggbb`, for those without a picture.
    public var avatarColor: String?

    /// An author from their parts.
    public init(name: String, avatarID: Int64? = nil, avatarColor: String? = nil) {
        self.name = name
        self.avatarID = avatarID
        self.avatarColor = avatarColor
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case avatarID = "avatar_id"
        case avatarColor = "avatar_color"
    }
}

/// A file of a comment.
public struct DeskAttachment: Sendable, Hashable, Codable, Identifiable {
    /// Given by the service.
    public var id: Int64
    /// As whoever sent it calls it: text of others, never a path.
    public var name: String
    /// Bytes.
    public var size: Int64

    /// An attachment from its parts.
    public init(id: Int64, name: String, size: Int64) {
        self.id = id
        self.name = name
        self.size = size
    }
}

/// What somebody wrote.
public struct DeskComment: Sendable, Hashable, Codable, Identifiable {
    /// Given by the service; later comments have higher ids.
    public var id: Int64
    /// The text; empty where there are only files.
    public var body: String
    /// To the support, from the user.
    public var isInbound: Bool
    /// In the order in which they were sent.
    public var attachments: [DeskAttachment]
    /// When the service took it.
    public var createdAt: DeskDate
    /// Who wrote it.
    public var author: DeskAuthor

    /// A comment from its parts.
    public init(
        id: Int64, body: String, isInbound: Bool, attachments: [DeskAttachment] = [], createdAt: DeskDate,
        author: DeskAuthor
    ) {
        self.id = id
        self.body = body
        self.isInbound = isInbound
        self.attachments = attachments
        self.createdAt = createdAt
        self.author = author
    }

    /// Services leave out what is empty.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(Int64.self, forKey: .id)
        body = try fields.decodeIfPresent(String.self, forKey: .body) ?? ""
        isInbound = try fields.decodeIfPresent(Bool.self, forKey: .isInbound) ?? false
        attachments = try fields.decodeIfPresent([DeskAttachment].self, forKey: .attachments) ?? []
        createdAt = try fields.decode(DeskDate.self, forKey: .createdAt)
        author = try fields.decodeIfPresent(DeskAuthor.self, forKey: .author) ?? DeskAuthor(name: "")
    }

    private enum CodingKeys: String, CodingKey {
        case id = "comment_id"
        case body
        case isInbound = "is_inbound"
        case attachments
        case createdAt = "created_at"
        case author
    }
}

/// A ticket as a list shows it.
public struct DeskTicket: Sendable, Hashable, Codable, Identifiable {
    /// Given by the service.
    public var id: Int64
    /// The beginning of its first comment, or what it was given.
    public var subject: String
    /// The user has seen every answer, on one device or another.
    public var isRead: Bool
    /// The newest comment.
    public var lastComment: DeskComment?

    /// A ticket from its parts.
    public init(id: Int64, subject: String, isRead: Bool, lastComment: DeskComment?) {
        self.id = id
        self.subject = subject
        self.isRead = isRead
        self.lastComment = lastComment
    }

    private enum CodingKeys: String, CodingKey {
        case id = "ticket_id"
        case subject
        case isRead = "is_read"
        case lastComment = "last_comment"
    }
}
