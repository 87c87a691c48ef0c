/// An answer of the support, as a reply subscription tells it. The text may be the beginning of a long one.
public struct DeskReply: Sendable, Hashable, Codable {
    /// False where they have been read on another device.
    public var hasUnreadComments: Bool
    /// Nil without comments.
    public var lastCommentText: String?
    /// 0 without comments.
    public var lastCommentAttachmentsCount: Int
    /// Names; nil without attachments.
    public var lastCommentAttachments: [String]?
    /// `DeskDate.none` without comments.
    public var utcTime: DeskDate

    /// What is told of the newest comment.
    package init(hasUnreadComments: Bool, last: DeskComment?) {
        self.hasUnreadComments = hasUnreadComments
        lastCommentText = last?.body
        lastCommentAttachmentsCount = last?.attachments.count ?? 0
        lastCommentAttachments = last.flatMap { $0.attachments.isEmpty ? nil : $0.attachments.map(\.name) }
        utcTime = last?.createdAt ?? .none
    }
}

/// What a chat tells its application.
public enum DeskEvent: Sendable, Hashable {
    /// Comments that had not been seen before, the oldest first; they count as read.
    case comments([DeskComment])
    /// For those who have subscribed; never while the chat is open.
    case reply(DeskReply)
    /// The service does not let the user in; once until it does again.
    case authorizationFailed
    /// The service can't be reached; once until it can. Nothing is lost meanwhile.
    case unreachable(String)
    /// It can be reached again.
    case reachable
}
