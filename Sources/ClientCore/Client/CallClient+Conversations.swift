public import ClientModel
public import ConversationModel
import Foundation

extension CallClient {
    /// The conversation that is open; nil where none is. There is never more than one.
    public var openConversation: Conversation? { desk.open }

    /// Conversations that are not over.
    public var conversations: [ConversationInfo] { desk.conversations }

    /// Unread messages over all conversations.
    public var unreadCount: Int { desk.unreadCount }

    /// Whether an agent is there; nil before the service has said it.
    public var isAgentAvailable: Bool? { desk.isAvailable }

    /// Sets who may add to what the service is told of a visitor. Throws `ClientError` for an agent's client.
    public func setInterceptor(_ interceptor: (any ConversationInterceptor)?) throws(ClientError) {
        guard role == .visitor else {
            throw ClientError(.wrongRole, "conversations of agents are not intercepted; a visitor's are")
        }
        self.interceptor = interceptor
    }

    /// Begins a conversation, and returns when the service has it and it is open. Without a connection that is when there is
    /// one again. Throws `ClientError`: another one is open, the interceptor refused, the service refused.
    public func beginConversation(
        _ type: ConversationType, data: [String: String] = [:]
    ) async throws -> Conversation {
        try requireReady("begin a conversation")
        desk.settings.area = settings.area.queue
        desk.settings.hasInterceptor = interceptor != nil
        let clientId = UUID().uuidString.lowercased()
        return try await waitConversation { .begin(waiter: $0, clientId: clientId, type: type, data: data) }
    }

    /// Opens a conversation that exists. Throws `ClientError` where another one is open.
    @discardableResult public func openConversation(_ id: String) async throws -> Conversation {
        try await waitConversation { .open(waiter: $0, conversation: id) }
    }

    /// Closes the conversation that is open. It goes on at the service.
    public func closeConversation() { tell(.close) }

    /// Ends a conversation for everybody; its call ends with it. Throws `ClientError`.
    public func endConversation(_ id: String) async throws {
        try requireReady("end a conversation")
        let answer = try await ask("end the conversation", ServiceRequest(method: .post, path: "/\(id.inPath)/end"))
        if let info = try? JSONDecoder().decode(ConversationInfo.self, from: Data(answer)) {
            tell(.notice(.conversation(info)))
        }
    }

    /// Comes to a conversation: an agent to one of the queue. Throws `ClientError`.
    public func joinConversation(_ id: String) async throws {
        try requireReady("join a conversation")
        let answer = try await ask(
            "join the conversation", ServiceRequest(method: .post, path: "/\(id.inPath)/participants"))
        if let info = try? JSONDecoder().decode(ConversationInfo.self, from: Data(answer)) {
            tell(.notice(.conversation(info)))
        }
    }

    /// Writes a message. It waits for a connection, and goes once, in the order of writing; `ClientEvent` says what becomes of
    /// it. Throws `ClientError` for a text that is empty or too long, a conversation that is over, and where too much waits.
    @discardableResult public func write(_ text: String, in conversation: String) throws(ClientError) -> OutgoingMessage
    {
        do { try ConversationBounds.check(text: text) } catch { throw ClientError(.messageRefused, error.description) }
        let message = OutgoingMessage(
            id: UUID().uuidString.lowercased(), conversationId: conversation, text: text)
        var refusal: ClientError?
        // What has returned outlives a kill.
        try environment.outbox?.keep(desk.waitingMessages + [message])
        tell(.write(message)) { if case .messageFate(_, .failed(let error)) = $0 { refusal = error } }
        if let refusal { throw refusal }
        return message
    }

    /// Messages that wait for the service.
    public var waitingMessages: [OutgoingMessage] { desk.waitingMessages }

    /// A page of a conversation's messages. Throws `ClientError`.
    public func messages(in conversation: String, after number: Int64 = 0) async throws -> [ConversationMessage] {
        let answer = try await ask(
            "read the messages",
            ServiceRequest(method: .get, path: "/\(conversation.inPath)/messages?after=\(number)"))
        return try read(MessagePage.self, answer).messages
    }

    /// Everything up to a message has been read. Throws `ClientError`.
    public func markRead(_ number: Int64, in conversation: String) async throws {
        let body = Self.json(ReadRequest(number: number))
        let answer = try await ask(
            "mark messages read", ServiceRequest(method: .put, path: "/\(conversation.inPath)/read", body: body))
        tell(.notice(.conversation(try read(ConversationInfo.self, answer))))
    }

    /// An agent is there to answer, or no longer. Throws `ClientError`, for a visitor's client too.
    public func setAvailable(_ isAvailable: Bool) async throws {
        guard role == .agent else {
            throw ClientError(.wrongRole, "agents are available or not; this client is a visitor's")
        }
        try requireReady("set the availability")
        let body = Self.json(AvailabilityRequest(isAvailable: isAvailable))
        _ = try await ask("set the availability", ServiceRequest(method: .put, path: "/availability", body: body))
    }

    func requireReady(_ purpose: String) throws(ClientError) {
        guard phase == .ready else {
            throw ClientError(.notReady, "can't \(purpose): the client is \(phase.rawValue); start it first")
        }
    }

    // MARK: The desk

    /// - Parameter listen: hears what is reported.
    func tell(_ input: ConversationDesk.Input, _ listen: (ConversationEvent) -> Void = { _ in }) {
        var actions: [ConversationDesk.Action] = []
        desk.handle(input, into: &actions)
        keepOutbox(actions)
        for action in actions {
            if case .report(let event) = action {
                listen(event)
                if case .ended(let conversation) = event { coBrowsing.stop(conversation.id, .conversationEnded) }
                hub.send(.conversation(event))
                delegate?.client(self, didReceive: event)
            } else {
                perform(action)
            }
        }
    }

    /// Keeps what waits where something does so no longer. What can't be kept is sent once more after a restart, under its
    /// name, and the service takes it once.
    private func keepOutbox(_ actions: [ConversationDesk.Action]) {
        guard let outbox = environment.outbox else { return }
        let isSettled = actions.contains {
            if case .report(.messageFate(_, let fate)) = $0 { fate != .queued } else { false }
        }
        guard isSettled else { return }
        do throws(ClientError) { try outbox.keep(desk.waitingMessages) } catch {
            hub.send(.error(error))
            delegate?.client(self, didReceive: error)
        }
    }

    private func perform(_ action: ConversationDesk.Action) {
        switch action {
        case .intercept(let clientId, let type, let data): intercept(clientId, type, data)
        case .create(let request): create(request)
        case .createLater(let clientId): after(1_000) { await $0.tell(.createAgain(clientId: clientId)) }
        case .send(let message): deliver(message)
        case .resendLater(let conversation): after(1_000) { await $0.tell(.resend(conversation: conversation)) }
        case .fetchMessages(let conversation, let number): fetch(conversation, after: number)
        case .answer(let waiter, let answer): self.answer(waiter, answer)
        case .startCall(let conversation, let type), .joinCall(let conversation, let type):
            beginCallByItself(conversation, type)
        case .endCall(let conversation): endCall(conversation)
        case .report: break
        }
    }

    private func intercept(_ clientId: String, _ type: ConversationType, _ data: [String: String]) {
        guard let interceptor else { return tell(.intercepted(clientId: clientId, .success([:]))) }
        after(configuration.interceptorTimeout) { await $0.tell(.interceptorTimeout(clientId: clientId)) }
        Task { [weak self] in
            let answer: Result<[String: String], ClientError>
            do { answer = .success(try await interceptor.conversationIsPreparing(type: type, data: data)) } catch {
                answer = .failure(ClientError(.interceptorFailed, "the interceptor refused: \(error)"))
            }
            await self?.tell(.intercepted(clientId: clientId, answer))
        }
    }

    private func create(_ request: ConversationRequest) {
        Task { [weak self] in
            guard let self else { return }
            let outgoing = ServiceRequest(method: .post, path: "", body: Self.json(request))
            let answer: Result<Conversation, ClientError>? = await settle(
                outgoing, "begin the conversation", Conversation.self)
            await tell(.created(clientId: request.clientId, answer))
        }
    }

    private func deliver(_ message: OutgoingMessage) {
        Task { [weak self] in
            guard let self else { return }
            let outgoing = ServiceRequest(
                method: .put, path: "/\(message.conversationId.inPath)/messages/\(message.id.inPath)",
                body: Self.json(MessageRequest(text: message.text)))
            let answer = await settle(outgoing, "write", ConversationMessage.self)
            await tell(.sent(message.id, conversation: message.conversationId, answer))
        }
    }

    private func fetch(_ conversation: String, after number: Int64) {
        Task { [weak self] in
            let messages = try? await self?.messages(in: conversation, after: number)
            await self?.tell(.page(conversation: conversation, messages ?? []))
        }
    }

    // MARK: Requests

    /// Nil where nobody knows what became of it.
    private func settle<Value: Decodable & Sendable>(
        _ request: ServiceRequest, _ purpose: String, _ type: Value.Type
    ) async -> Result<Value, ClientError>? {
        do throws(ServiceFault) {
            let answer = try await send(request)
            do { return .success(try read(type, answer)) } catch {
                return .failure(ClientError(.requestRefused, "can't \(purpose): \(error)"))
            }
        } catch {
            guard case .refused(let status, let words) = error else { return nil }
            return .failure(ClientError(.requestRefused, "can't \(purpose): HTTP \(status): \(words)"))
        }
    }

    func ask(_ purpose: String, _ request: ServiceRequest) async throws(ClientError) -> [UInt8] {
        do { return try await send(request) } catch {
            switch error {
            case .unauthorized:
                throw ClientError(.authorization, "can't \(purpose): the token was refused; set another one")
            case .refused(let status, let words):
                throw ClientError(.requestRefused, "can't \(purpose): HTTP \(status): \(words)")
            case .unanswered(let words):
                throw ClientError(.unreachable, "can't \(purpose): \(words); try again")
            }
        }
    }

    nonisolated func read<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ClientError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw ClientError(.requestRefused, "the service's answer can't be read; is this the right server?")
        }
    }

    static func json(_ value: some Encodable) -> [UInt8] { (try? JSONEncoder().encode(value)).map(Array.init) ?? [] }
}

extension String {
    /// As one part of a path.
    var inPath: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_"])) ?? ""
    }
}
