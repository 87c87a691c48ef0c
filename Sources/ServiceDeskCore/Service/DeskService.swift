/// The reference service: tickets, comments, files and push tokens in memory. A value: requests and the time go in, answers
/// and webhooks come out.
package struct DeskService: Sendable {
    /// An owner within an application.
    struct Account: Hashable, Sendable {
        var appID: String
        var owner: DeskOwner
    }

    struct Person: Sendable {
        /// The oldest first.
        var tickets: [Int64] = []
        var looseFiles: [Int64] = []
        var deviceID = ""
        var writes: SlidingWindow
        var pushToken: (token: String, type: String)?
        var pushes = SlidingWindow(limit: 1, period: PushTokenLimiter.period)
        /// The newest, so that a repetition is one comment.
        var answered: [(clientID: String, answer: DeskCommentAnswer)] = []
    }

    struct Ticket: Sendable {
        var account: Account
        var subject: String
        var comments: [DeskComment] = []
        /// Answers up to this comment have been seen.
        var read: Int64 = 0
    }

    struct File: Sendable {
        var account: Account
        var name: String
        var bytes: [UInt8]
    }

    private static let rememberedAnswers = 50

    let limits: DeskServiceLimits
    /// Who writes where the caller names nobody.
    package var support: DeskAuthor
    var people: [Account: Person] = [:]
    var tickets: [Int64: Ticket] = [:]
    var files: [Int64: File] = [:]
    private var avatars: [Int64: [UInt8]] = [:]
    private var fileBytes = 0
    private var lastTicket: Int64 = 0
    private var lastComment: Int64 = 0
    private var lastFile: Int64 = 0

    package init(limits: DeskServiceLimits = .init(), support: DeskAuthor) {
        self.limits = limits
        self.support = support
    }

    /// A picture of the support, for `avatar`.
    package mutating func setAvatar(_ id: Int64, _ bytes: [UInt8]) { avatars[id] = bytes }

    /// Does what is asked, for somebody who has been let in.
    package mutating func perform(_ question: DeskQuestion, now: DeskDate) -> DeskHTTPResponse {
        do {
            return try answer(question, now)
        } catch {
            return DeskHTTPResponse(error)
        }
    }

    private mutating func answer(_ question: DeskQuestion, _ now: DeskDate) throws(DeskRefusal) -> DeskHTTPResponse {
        if case .avatar(let id) = question.call {
            guard let bytes = avatars[id] else { throw DeskRefusal(404, "there is no such picture") }
            return DeskHTTPResponse(200, contentType: "application/octet-stream", bytes)
        }
        guard let credentials = question.credentials else { throw DeskRefusal(400, "who asks?") }
        let account = Account(appID: credentials.appID, owner: credentials.owner)
        people[account]?.deviceID = credentials.deviceID
        switch question.call {
        case .tickets: return try json(DeskTicketsAnswer(tickets: ticketList(account)))
        case .feed(let request): return try json(try feed(request, account))
        case .comment(let request): return try json(try comment(request, account, credentials, now))
        case .upload(let file): return try json(try upload(file, account, credentials, now))
        case .download(let id): return try download(id, account)
        case .pushToken(let request): return try json(try setPushToken(request, account, credentials, now))
        case .avatar: throw DeskRefusal(404, "there is no such picture")
        }
    }

    private func json(_ value: some Encodable) throws(DeskRefusal) -> DeskHTTPResponse {
        guard let bytes = try? DeskJSON.bytes(value) else { throw DeskRefusal(500, "the answer can't be written") }
        return DeskHTTPResponse(200, bytes)
    }

    // MARK: Comments

    private mutating func comment(
        _ request: DeskCommentRequest, _ account: Account, _ credentials: DeskCredentials, _ now: DeskDate
    ) throws(DeskRefusal) -> DeskCommentAnswer {
        if let name = request.clientID, let known = people[account]?.answered.first(where: { $0.clientID == name }) {
            return known.answer
        }
        try admit(account, credentials, now)
        let attached = try attachments(request.attachments ?? [], account)
        let text = request.comment ?? ""
        let id = try ticket(request.ticketID, account, subject: text.isEmpty ? attached.first?.name ?? "" : text)
        let author = DeskAuthor(name: request.userName ?? "Guest")
        let comment = try append(
            to: id, body: text, isInbound: true, attachments: attached, author: author, now: now)
        let answer = DeskCommentAnswer(ticketID: id, commentID: comment.id, attachments: attached.map(\.id))
        people[account]?.looseFiles.removeAll { file in attached.contains { $0.id == file } }
        if let name = request.clientID {
            people[account]?.answered.append((name, answer))
            if people[account]?.answered.count ?? 0 > Self.rememberedAnswers { people[account]?.answered.removeFirst() }
        }
        return answer
    }

    /// The ticket that is meant, or a new one.
    private mutating func ticket(_ wanted: Int64?, _ account: Account, subject: String) throws(DeskRefusal) -> Int64 {
        if let wanted, wanted != 0 {
            guard tickets[wanted]?.account == account else { throw DeskRefusal(404, "there is no such ticket") }
            return wanted
        }
        if wanted == nil, let newest = people[account]?.tickets.last { return newest }
        guard people[account]?.tickets.count ?? 0 < limits.tickets else {
            throw DeskRefusal(429, "a user has at most \(limits.tickets) tickets")
        }
        lastTicket += 1
        tickets[lastTicket] = Ticket(account: account, subject: Self.excerpt(subject, 60))
        people[account]?.tickets.append(lastTicket)
        return lastTicket
    }

    /// The first characters of a text.
    static func excerpt(_ text: String, _ count: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
    }

    mutating func append(
        to ticket: Int64, body: String, isInbound: Bool, attachments: [DeskAttachment], author: DeskAuthor,
        now: DeskDate
    ) throws(DeskRefusal) -> DeskComment {
        guard tickets[ticket]?.comments.count ?? 0 < limits.comments else {
            throw DeskRefusal(429, "a ticket has at most \(limits.comments) comments; begin another one")
        }
        lastComment += 1
        let comment = DeskComment(
            id: lastComment, body: body, isInbound: isInbound, attachments: attachments, createdAt: now,
            author: author)
        tickets[ticket]?.comments.append(comment)
        return comment
    }

    /// The files of a comment: uploaded by the same owner, each in one comment only.
    private func attachments(
        _ wanted: [DeskCommentRequest.File], _ account: Account
    ) throws(DeskRefusal) -> [DeskAttachment] {
        var result: [DeskAttachment] = []
        for one in wanted {
            guard let id = Int64(one.guid), people[account]?.looseFiles.contains(id) == true, let file = files[id],
                !result.contains(where: { $0.id == id })
            else { throw DeskRefusal(400, "an attachment has not been uploaded, or is too old; upload it again") }
            result.append(DeskAttachment(id: id, name: file.name, size: Int64(file.bytes.count)))
        }
        return result
    }

    // MARK: Files

    private mutating func upload(
        _ file: DeskMultipart, _ account: Account, _ credentials: DeskCredentials, _ now: DeskDate
    ) throws(DeskRefusal) -> DeskUploadAnswer {
        try admit(account, credentials, now)
        if let oldest = people[account]?.looseFiles.first, people[account]?.looseFiles.count ?? 0 >= limits.looseFiles {
            people[account]?.looseFiles.removeFirst()
            fileBytes -= files.removeValue(forKey: oldest)?.bytes.count ?? 0
        }
        let id = try store(file, account)
        people[account]?.looseFiles.append(id)
        return DeskUploadAnswer(guid: "\(id)")
    }

    mutating func store(_ file: DeskMultipart, _ account: Account) throws(DeskRefusal) -> Int64 {
        guard files.count < limits.files, fileBytes + file.bytes.count <= limits.fileBytes else {
            throw DeskRefusal(507, "there is no room for more files")
        }
        lastFile += 1
        files[lastFile] = File(account: account, name: file.name, bytes: file.bytes)
        fileBytes += file.bytes.count
        return lastFile
    }

    private func download(_ id: Int64, _ account: Account) throws(DeskRefusal) -> DeskHTTPResponse {
        guard let file = files[id], file.account == account else { throw DeskRefusal(404, "there is no such file") }
        return DeskHTTPResponse(200, contentType: "application/octet-stream", file.bytes)
    }

    // MARK: Who writes

    /// Makes room for an owner who writes for the first time, and counts what they write.
    private mutating func admit(
        _ account: Account, _ credentials: DeskCredentials, _ now: DeskDate
    ) throws(DeskRefusal) {
        if people[account] == nil {
            guard people.count < limits.owners else { throw DeskRefusal(503, "there is no room for more users") }
            people[account] = Person(writes: SlidingWindow(limit: limits.writesPerMinute, period: 60_000))
        }
        people[account]?.deviceID = credentials.deviceID
        guard people[account]?.writes.take(now: now.milliseconds) == true else {
            let wait = people[account]?.writes.wait(now: now.milliseconds) ?? 0
            throw DeskRefusal(429, "too much at once; come again later", retryAfter: (wait + 999) / 1_000)
        }
    }

    private mutating func setPushToken(
        _ request: DeskPushTokenRequest, _ account: Account, _ credentials: DeskCredentials, _ now: DeskDate
    ) throws(DeskRefusal) -> DeskTicketsRequest {
        try admit(account, credentials, now)
        let wait = people[account]?.pushes.wait(now: now.milliseconds) ?? 0
        guard wait == 0 else {
            throw DeskRefusal(429, "a push token is taken once in five minutes", retryAfter: (wait + 999) / 1_000)
        }
        _ = people[account]?.pushes.take(now: now.milliseconds)
        let token = request.token ?? ""
        people[account]?.pushToken = token.isEmpty ? nil : (token, request.type ?? "iOS")
        return DeskTicketsRequest()
    }
}
