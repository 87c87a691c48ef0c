extension DeskService {
    /// The newest ticket first.
    func ticketList(_ account: Account) -> [DeskTicket] {
        (people[account]?.tickets ?? []).reversed().compactMap { id in
            guard let ticket = tickets[id] else { return nil }
            let newest = ticket.comments.last { !$0.isInbound }?.id ?? 0
            var last = ticket.comments.last
            if let body = last?.body { last?.body = Self.excerpt(body, Self.listedCharacters) }
            return DeskTicket(id: id, subject: ticket.subject, isRead: newest <= ticket.read, lastComment: last)
        }
    }

    /// The comments of a ticket or of all, the oldest first, of which the client is taken to have read all.
    mutating func feed(_ request: DeskFeedRequest, _ account: Account) throws(DeskRefusal) -> DeskFeedAnswer {
        let wanted: [Int64]
        if let id = request.ticketID {
            guard tickets[id]?.account == account else { throw DeskRefusal(404, "there is no such ticket") }
            wanted = [id]
        } else {
            wanted = people[account]?.tickets ?? []
        }
        var comments: [DeskComment] = []
        for id in wanted {
            let found = tickets[id]?.comments ?? []
            comments += found
            if request.keepUnread != true { tickets[id]?.read = found.last?.id ?? 0 }
        }
        return DeskFeedAnswer(comments: Self.newest(comments.sorted { $0.id < $1.id }))
    }

    /// Characters of a comment in a list of tickets.
    private static let listedCharacters = 1_000
    /// Bytes of texts and names in a feed: written as JSON they stay below what a client reads.
    private static let feedBytes = 1024 * 1024

    private static func newest(_ comments: [DeskComment]) -> [DeskComment] {
        var room = feedBytes
        let fit = comments.reversed().prefix(DeskBounds.rememberedComments).prefix { comment in
            room -= comment.body.utf8.count + comment.author.name.utf8.count + 64
            room -= comment.attachments.reduce(0) { $0 + $1.name.utf8.count + 64 }
            return room >= 0
        }
        return fit.reversed()
    }

    // MARK: The support

    /// What the support sees of a ticket.
    package struct Overview: Sendable, Hashable {
        package var id: Int64
        package var appID: String
        package var owner: DeskOwner
        package var subject: String
        package var comments: [DeskComment]
        /// What the user's device is notified with; nil where there is none.
        package var pushToken: String?
    }

    package func overview(_ ticket: Int64) -> Overview? {
        guard let found = tickets[ticket] else { return nil }
        return Overview(
            id: ticket, appID: found.account.appID, owner: found.account.owner, subject: found.subject,
            comments: found.comments, pushToken: people[found.account]?.pushToken?.token)
    }

    /// A file's content, whosever it is.
    package func file(_ id: Int64) -> [UInt8]? { files[id]?.bytes }

    /// The support writes. Gives the comment and what the application's server is told. Throws 400, 404, 413, 429, 507.
    package mutating func reply(
        ticket id: Int64, body: String, author: DeskAuthor? = nil, files new: [DeskMultipart] = [], now: DeskDate
    ) throws(DeskRefusal) -> (comment: DeskComment, webhook: DeskWebhook) {
        guard let ticket = tickets[id] else { throw DeskRefusal(404, "there is no ticket \(id)") }
        guard !body.isEmpty || !new.isEmpty else { throw DeskRefusal(400, "a comment has text or attachments") }
        guard body.utf8.count <= DeskBounds.bodyBytes, new.count <= DeskBounds.attachments,
            new.allSatisfy({ !$0.bytes.isEmpty && $0.bytes.count <= DeskBounds.fileBytes })
        else { throw DeskRefusal(413, "the comment or a file of it is beyond its bounds, or empty") }
        var attached: [DeskAttachment] = []
        for file in new {
            let name = DeskFileName.fit(file.name)
            let stored = try store(DeskMultipart(name: name, bytes: file.bytes), ticket.account)
            attached.append(DeskAttachment(id: stored, name: name, size: Int64(file.bytes.count)))
        }
        let author = author ?? support
        let comment = try append(
            to: id, body: body, isInbound: false, attachments: attached, author: author, now: now)
        return (comment, webhook(id, ticket.account, comment))
    }

    private func webhook(_ id: Int64, _ account: Account, _ comment: DeskComment) -> DeskWebhook {
        let person = people[account]
        let userID: String
        switch account.owner {
        case .device(let name), .user(let name): userID = name
        }
        // A colour is for those without a picture.
        var author = comment.author
        if author.avatarID != nil { author.avatarColor = nil }
        return DeskWebhook(
            ticketID: id,
            token: .init(
                userID: userID, appID: account.appID, deviceID: person?.deviceID ?? "",
                type: person?.pushToken?.type ?? "iOS"),
            comment: .init(id: comment.id, body: comment.body), author: author, createdAt: comment.createdAt,
            attachments: comment.attachments)
    }
}
