/// When a reply subscription tells what: a value.
///
/// - Unread comments are told once each time that there is a newer one.
/// - That they have been read on another device is told once.
/// - While the chat is open nothing is told, and what was read there is not told later.
package struct ReplyWatch: Sendable, Hashable {
    /// The newest unread comment that was told, or seen with the chat open; 0 for none.
    private var newest: Int64 = 0
    private var hasUnread = false

    package init() {}

    /// What to tell of a list of tickets.
    package mutating func take(_ tickets: [DeskTicket], isChatOpen: Bool) -> DeskReply? {
        let unread = tickets.filter { !$0.isRead }
        let wasUnread = hasUnread
        hasUnread = !unread.isEmpty && !isChatOpen
        let last = (unread.isEmpty ? tickets : unread).compactMap(\.lastComment).max { $0.id < $1.id }
        let isNewer = last.map { $0.id > newest && !$0.isInbound } ?? false
        newest = max(newest, last?.id ?? 0)
        guard !isChatOpen else { return nil }
        if hasUnread { return isNewer || !wasUnread ? DeskReply(hasUnreadComments: true, last: last) : nil }
        return wasUnread ? DeskReply(hasUnreadComments: false, last: last) : nil
    }

    /// The chat has been opened: what is unread is being read now.
    package mutating func chatOpened() { hasUnread = false }
}
