package import ConversationModel

/// A client's conversations as a value: which there are, which one is open, what was read and written, and whose call ends
/// with it. At most one is open, or being begun.
package struct ConversationDesk: Sendable {
    private struct Entry: Sendable {
        var info: ConversationInfo
        var log: MessageLog
        var hasCall = false
        var isFetching = false
    }

    /// A conversation that is being begun.
    private struct Opening: Sendable {
        var waiter: Int
        var request: ConversationRequest
        var isIntercepted: Bool
        /// The request is at the service, as far as we know.
        var isAsked = false
    }

    package var settings: Settings
    package private(set) var personId = ""
    private var entries: [String: Entry] = [:]
    private var openID: String?
    private var opening: Opening?
    package private(set) var isAvailable: Bool?
    private var outbox: MessageOutbox
    private var isOnline = false
    private var unread = 0

    /// - Parameter waiting: messages that waited when the process ended.
    package init(_ settings: Settings, waiting: [OutgoingMessage] = []) {
        self.settings = settings
        outbox = MessageOutbox(capacity: settings.queuedMessages, waiting: waiting)
    }

    /// The conversation that is open.
    package var open: Conversation? { openID.flatMap { entries[$0]?.info.conversation } }
    /// Those that are not over, in the order they were begun.
    package var conversations: [ConversationInfo] {
        entries.values.map(\.info).sorted {
            ($0.conversation.createdAt, $0.conversation.id) < ($1.conversation.createdAt, $1.conversation.id)
        }
    }
    package var unreadCount: Int { unread }
    package var waitingMessages: [OutgoingMessage] { outbox.waiting }

    package mutating func handle(_ input: Input, into actions: inout [Action]) {
        switch input {
        case .online(let snapshot): online(snapshot, &actions)
        case .offline:
            isOnline = false
            for id in entries.keys { entries[id]?.isFetching = false }
            _ = outbox.connection(isOnline: false)
        case .notice(let notice): heard(notice, &actions)
        case .page(let conversation, let messages):
            entries[conversation]?.isFetching = false
            for message in messages where message.conversationId == conversation { receive(message, &actions) }
        case .begin(let waiter, let clientId, let type, let data): begin(waiter, clientId, type, data, &actions)
        case .intercepted(let clientId, let answer): intercepted(clientId, answer, &actions)
        case .interceptorTimeout(let clientId): interceptorTimeout(clientId, &actions)
        case .created(let clientId, let answer): created(clientId, answer, &actions)
        case .createAgain(let clientId): if opening?.request.clientId == clientId { ask(&actions) }
        case .open(let waiter, let conversation): open(waiter, conversation, &actions)
        case .close: setOpen(nil, &actions)
        case .write(let message): write(message, &actions)
        case .sent(let id, let conversation, let answer): sent(id, conversation, answer, &actions)
        case .resend(let conversation): if let next = outbox.resend(conversation) { actions.append(.send(next)) }
        case .callChanged(let conversation, let isActive): entries[conversation]?.hasCall = isActive
        case .stop(let error): stop(error, &actions)
        }
    }

    // MARK: What the service says

    private mutating func online(_ snapshot: ConversationSnapshot, _ actions: inout [Action]) {
        isOnline = true
        personId = snapshot.personId
        let present = Set(snapshot.conversations.map(\.conversation.id))
        for id in entries.keys.sorted() where !present.contains(id) {
            guard var gone = entries[id]?.info.conversation else { continue }
            gone.state = .ended
            end(gone, &actions)
        }
        for info in snapshot.conversations { update(info, &actions) }
        set(available: snapshot.isAvailable, &actions)
        for message in outbox.connection(isOnline: true) { actions.append(.send(message)) }
        // Asked before the connection went, or never: the service takes it once.
        if let opening, !opening.isIntercepted { ask(&actions) }
    }

    private mutating func heard(_ notice: ConversationNotice, _ actions: inout [Action]) {
        if let info = notice.info { update(info, &actions, announcing: notice.message?.number) }
        if let message = notice.message { receive(message, &actions) }
        if let isAvailable = notice.isAvailable { set(available: isAvailable, &actions) }
        if let file = notice.file { actions.append(.report(.file(file))) }
    }

    /// - Parameter announcing: the number of the message that comes with it.
    private mutating func update(_ info: ConversationInfo, _ actions: inout [Action], announcing: Int64? = nil) {
        let conversation = info.conversation
        guard conversation.state != .ended else { return end(conversation, &actions) }
        let before = entries[conversation.id]
        // What was written before we knew of a conversation is history: the application asks for it.
        var entry =
            before ?? Entry(info: info, log: MessageLog(last: conversation.lastMessage - (announcing == nil ? 0 : 1)))
        entry.info = info
        entries[conversation.id] = entry
        if before?.info != info { actions.append(.report(.updated(info))) }
        if announcing == nil, conversation.lastMessage > entry.log.last { fetch(conversation.id, &actions) }
        countUnread(&actions)
        join(conversation, before?.info.conversation, &actions)
    }

    /// Joins the call of a conversation that we have just come to, where that goes by itself.
    private func join(_ conversation: Conversation, _ before: Conversation?, _ actions: inout [Action]) {
        guard let before, before.participant(personId) == nil, conversation.participant(personId) != nil,
            case .join(let type) = AutoJoinRule.decide(conversation, .joined)
        else { return }
        actions.append(.joinCall(conversation: conversation.id, type))
    }

    private mutating func receive(_ message: ConversationMessage, _ actions: inout [Action]) {
        switch entries[message.conversationId]?.log.receive(message.number) {
        case .deliver: actions.append(.report(.message(message)))
        case .gap: fetch(message.conversationId, &actions)
        case .known, nil: return
        }
    }

    private mutating func fetch(_ id: String, _ actions: inout [Action]) {
        guard let entry = entries[id], !entry.isFetching, isOnline else { return }
        entries[id]?.isFetching = true
        actions.append(.fetchMessages(conversation: id, after: entry.log.last))
    }

    private mutating func end(_ conversation: Conversation, _ actions: inout [Action]) {
        guard let entry = entries.removeValue(forKey: conversation.id) else { return }
        // Its call first: nobody is left in a call of nothing.
        if entry.hasCall { actions.append(.endCall(conversation: conversation.id)) }
        let error = ClientError(.conversationUnavailable, "the conversation \(conversation.id) is over")
        for message in outbox.drop(conversation.id) { actions.append(.report(.messageFate(message, .failed(error)))) }
        if openID == conversation.id { setOpen(nil, &actions) }
        actions.append(.report(.ended(conversation)))
        countUnread(&actions)
    }

    private mutating func countUnread(_ actions: inout [Action]) {
        let sum = entries.values.reduce(0) { $0 + $1.info.unread }
        guard sum != unread else { return }
        unread = sum
        actions.append(.report(.unread(sum)))
    }

    private mutating func set(available: Bool, _ actions: inout [Action]) {
        guard isAvailable != available else { return }
        isAvailable = available
        actions.append(.report(.availability(available)))
    }

    private mutating func setOpen(_ id: String?, _ actions: inout [Action]) {
        guard openID != id else { return }
        openID = id
        actions.append(.report(.openChanged(open)))
    }

    // MARK: Beginning and opening

    private mutating func begin(
        _ waiter: Int, _ clientId: String, _ type: ConversationType, _ data: [String: String], _ actions: inout [Action]
    ) {
        let request = ConversationRequest(clientId: clientId, type: type, area: settings.area, data: data)
        if let refusal = refusal(of: request) { return actions.append(.answer(waiter: waiter, .failure(refusal))) }
        let isIntercepted = settings.hasInterceptor && settings.role == .visitor
        opening = Opening(waiter: waiter, request: request, isIntercepted: isIntercepted)
        if isIntercepted {
            actions.append(.intercept(clientId: clientId, type, data: data))
        } else {
            ask(&actions)
        }
    }

    private func refusal(of request: ConversationRequest) -> ClientError? {
        if let openID {
            return ClientError(.conversationOpen, "the conversation \(openID) is open; close or end it first")
        }
        guard opening == nil else {
            return ClientError(.conversationOpen, "another conversation is being opened; wait for it")
        }
        do { try ConversationBounds.check(request) } catch { return ClientError(.messageRefused, error.description) }
        return nil
    }

    private mutating func ask(_ actions: inout [Action]) {
        guard isOnline, let request = opening?.request else { return }
        opening?.isAsked = true
        actions.append(.create(request))
    }

    private mutating func intercepted(
        _ clientId: String, _ answer: Result<[String: String], ClientError>, _ actions: inout [Action]
    ) {
        guard let opening, opening.request.clientId == clientId, opening.isIntercepted else { return }
        switch answer {
        case .success(let more):
            var request = opening.request
            request.data = (request.data ?? [:]).merging(more) { $1 }
            do { try ConversationBounds.check(request) } catch {
                return refuse(ClientError(.interceptorFailed, "the interceptor's \(error.description)"), &actions)
            }
            self.opening?.request = request
            self.opening?.isIntercepted = false
            ask(&actions)
        case .failure(let error): refuse(error, &actions)
        }
    }

    private mutating func interceptorTimeout(_ clientId: String, _ actions: inout [Action]) {
        guard let opening, opening.request.clientId == clientId, opening.isIntercepted else { return }
        if settings.interceptorTimeoutPolicy == .proceed {
            self.opening?.isIntercepted = false
            ask(&actions)
        } else {
            refuse(
                ClientError(
                    .interceptorFailed,
                    "the interceptor has not answered in time; let it answer, or set interceptorTimeoutPolicy to proceed"
                ),
                &actions)
        }
    }

    private mutating func refuse(_ error: ClientError, _ actions: inout [Action]) {
        guard let waiter = opening?.waiter else { return }
        opening = nil
        actions.append(.answer(waiter: waiter, .failure(error)))
    }

    private mutating func created(
        _ clientId: String, _ answer: Result<Conversation, ClientError>?, _ actions: inout [Action]
    ) {
        guard let opening, opening.request.clientId == clientId, opening.isAsked else { return }
        switch answer {
        // Without a connection it is asked again when there is one.
        case nil: if isOnline { actions.append(.createLater(clientId: clientId)) }
        case .failure(let error): refuse(error, &actions)
        case .success(let conversation):
            self.opening = nil
            guard conversation.state != .ended else {
                let error = ClientError(
                    .conversationUnavailable, "the conversation \(conversation.id) has ended already")
                return actions.append(.answer(waiter: opening.waiter, .failure(error)))
            }
            if entries[conversation.id] == nil {
                update(ConversationInfo(conversation: conversation, unread: 0), &actions)
            }
            setOpen(conversation.id, &actions)
            actions.append(.answer(waiter: opening.waiter, .success(conversation)))
            if case .start(let type) = AutoJoinRule.decide(conversation, .began) {
                actions.append(.startCall(conversation: conversation.id, type))
            }
        }
    }

    private mutating func open(_ waiter: Int, _ id: String, _ actions: inout [Action]) {
        if let openID, openID != id {
            let error = ClientError(.conversationOpen, "the conversation \(openID) is open; close it first")
            return actions.append(.answer(waiter: waiter, .failure(error)))
        }
        guard opening == nil else {
            let error = ClientError(.conversationOpen, "another conversation is being opened; wait for it")
            return actions.append(.answer(waiter: waiter, .failure(error)))
        }
        guard let conversation = entries[id]?.info.conversation else {
            let error = ClientError(
                .conversationUnavailable, "there is no conversation \(id.prefix(80)), or it is over")
            return actions.append(.answer(waiter: waiter, .failure(error)))
        }
        setOpen(id, &actions)
        actions.append(.answer(waiter: waiter, .success(conversation)))
    }

    // MARK: Writing

    private mutating func write(_ message: OutgoingMessage, _ actions: inout [Action]) {
        guard entries[message.conversationId] != nil else {
            let error = ClientError(
                .conversationUnavailable, "there is no conversation \(message.conversationId.prefix(80)), or it is over"
            )
            return actions.append(.report(.messageFate(message, .failed(error))))
        }
        do throws(ClientError) {
            let next = try outbox.add(message)
            actions.append(.report(.messageFate(message, .queued)))
            if let next { actions.append(.send(next)) }
        } catch {
            actions.append(.report(.messageFate(message, .failed(error))))
        }
    }

    private mutating func sent(
        _ id: String, _ conversation: String, _ answer: Result<ConversationMessage, ClientError>?,
        _ actions: inout [Action]
    ) {
        guard let answer else {
            if outbox.fail(id, in: conversation) { actions.append(.resendLater(conversation: conversation)) }
            return
        }
        guard let (message, next) = outbox.settle(id, in: conversation) else { return }
        switch answer {
        case .success(let taken): actions.append(.report(.messageFate(message, .sent(number: taken.number))))
        case .failure(let error): actions.append(.report(.messageFate(message, .failed(error))))
        }
        if let next { actions.append(.send(next)) }
    }

    /// The client stops: nobody waits in vain. What is not sent stays, for the next start.
    private mutating func stop(_ error: ClientError, _ actions: inout [Action]) {
        isOnline = false
        _ = outbox.connection(isOnline: false)
        refuse(error, &actions)
        for id in entries.keys.sorted() where entries[id]?.hasCall == true {
            entries[id]?.hasCall = false
            actions.append(.endCall(conversation: id))
        }
        for id in entries.keys { entries[id]?.isFetching = false }
    }
}
