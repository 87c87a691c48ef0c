import ClientModel
import ConversationModel
import Foundation
import Synchronization

@testable import ClientCore

/// A conversation service in this process, whose faults a test chooses.
final class ScriptedService: ServiceLink {
    struct State {
        var tokens: Set<String> = ["good"]
        var isReachable = true
        /// Requests get no answer, though the connection stands.
        var answersRequests = true
        var conversations: [String: Conversation] = [:]
        var messages: [String: [ConversationMessage]] = [:]
        var sockets: [Int: AsyncStream<ConversationNotice>.Continuation] = [:]
        var number = 0
        var identities: [ServiceIdentity] = []
        var requests: [String] = []
        var begun: [ConversationRequest] = []
    }

    let state = Mutex(State())
    /// One element after each request, for one reader at a time.
    private let (news, newsWriter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func connect(_ identity: ServiceIdentity) async throws(LinkFailure) -> ServiceConnection {
        let (stream, continuation) = AsyncStream.makeStream(of: ConversationNotice.self)
        let number: Result<Int, LinkFailure> = state.withLock { state in
            state.identities.append(identity)
            guard state.isReachable else { return .failure(.unreachable("it is away")) }
            guard state.tokens.contains(identity.token.value) else { return .failure(.unauthorized("HTTP 401")) }
            state.number += 1
            state.sockets[state.number] = continuation
            continuation.yield(.snapshot(Self.snapshot(state)))
            return .success(state.number)
        }
        let id = try number.get()
        return ServiceConnection(notices: stream) { [self] in
            state.withLock { $0.sockets.removeValue(forKey: id) }?.finish()
        }
    }

    func coBrowse(
        _ conversation: String, _ identity: ServiceIdentity
    ) async throws(ServiceFault) -> any CoBrowsingChannel { SilentChannel() }

    private static func snapshot(_ state: State) -> ConversationSnapshot {
        let open = state.conversations.values.filter { $0.state != .ended }.sorted { $0.id < $1.id }
        return ConversationSnapshot(
            personId: "vera", role: .visitor, conversations: open.map { ConversationInfo(conversation: $0, unread: 0) },
            isAvailable: true)
    }

    func send(_ request: ServiceRequest, _ identity: ServiceIdentity) async throws(ServiceFault) -> [UInt8] {
        let answer: Result<[UInt8], ServiceFault> = state.withLock { state in
            state.identities.append(identity)
            state.requests.append("\(request.method.rawValue) \(request.path)")
            guard state.answersRequests else { return .failure(.unanswered("silence")) }
            guard state.tokens.contains(identity.token.value) else { return .failure(.unauthorized) }
            return Self.answer(request, &state)
        }
        newsWriter.yield()
        return try answer.get()
    }

    private static func answer(_ request: ServiceRequest, _ state: inout State) -> Result<[UInt8], ServiceFault> {
        let parts = request.path.split(separator: "/").map(String.init)
        guard request.part == .conversations else { return .success([UInt8]("{}".utf8)) }
        switch (request.method, parts.count) {
        case (.post, 0):
            guard let asked = try? JSONDecoder().decode(ConversationRequest.self, from: Data(request.body)) else {
                return .failure(.refused(status: 400, "no request"))
            }
            state.begun.append(asked)
            var conversation = Conversation(id: "c-\(state.begun.count)", type: asked.type)
            conversation.participants = [.init(personId: "vera", role: .visitor)]
            conversation.autoJoinsCall = asked.data?["auto"] == "yes"
            state.conversations[conversation.id] = conversation
            return .success(CallClient.json(conversation))
        case (.put, 3) where parts[1] == "messages":
            return write(parts[0], parts[2], request, &state)
        case (.post, 2) where parts[1] == "end":
            guard var conversation = state.conversations[parts[0]] else {
                return .failure(.refused(status: 404, "there is no conversation"))
            }
            conversation.state = .ended
            state.conversations[parts[0]] = conversation
            return .success(CallClient.json(ConversationInfo(conversation: conversation, unread: 0)))
        default: return .success([UInt8]("{}".utf8))
        }
    }

    private static func write(
        _ conversation: String, _ id: String, _ request: ServiceRequest, _ state: inout State
    ) -> Result<[UInt8], ServiceFault> {
        let known = state.messages[conversation, default: []]
        if let message = known.first(where: { $0.clientId == id }) { return .success(CallClient.json(message)) }
        guard let text = try? JSONDecoder().decode(MessageRequest.self, from: Data(request.body)).text else {
            return .failure(.refused(status: 400, "no message"))
        }
        let message = ConversationMessage(
            conversationId: conversation, number: Int64(known.count + 1), clientId: id, author: "vera", text: text,
            sentAt: 0)
        state.messages[conversation, default: []].append(message)
        return .success(CallClient.json(message))
    }

    // MARK: What a test does

    /// Waits until requests have made it so.
    func until(_ condition: @Sendable (State) -> Bool) async {
        while !state.withLock({ condition($0) }) { _ = await news.first { _ in true } }
    }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Every connection breaks.
    func drop() {
        let sockets = state.withLock { state in
            defer { state.sockets = [:] }
            return Array(state.sockets.values)
        }
        for socket in sockets { socket.finish() }
    }

    func say(_ notice: ConversationNotice) {
        state.withLock { for socket in $0.sockets.values { socket.yield(notice) } }
    }

    var connections: Int { state.withLock(\.sockets.count) }
    func texts(_ conversation: String) -> [String] {
        state.withLock { $0.messages[conversation, default: []].map(\.text) }
    }
}

/// A channel on which nobody says anything.
private struct SilentChannel: CoBrowsingChannel {
    let incoming: AsyncStream<CoBrowsingEnvelope>
    private let end: AsyncStream<CoBrowsingEnvelope>.Continuation

    init() { (incoming, end) = AsyncStream.makeStream(of: CoBrowsingEnvelope.self) }

    func send(_ message: [UInt8]) {}
    func close() async { end.finish() }
}

extension CallClient {
    /// A client of the scripted service.
    static func scripted(
        _ service: ScriptedService, _ role: PersonRole = .visitor, token: String = "good",
        _ change: (inout ClientConfiguration, inout ClientEnvironment) throws -> Void = { _, _ in }
    ) throws -> CallClient {
        var configuration = ClientConfiguration(serverURL: "https://chat.example", apiKey: "key")
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken(token)), links: FixedLinkHandler(.block))
        environment.link = service
        try change(&configuration, &environment)
        return role == .visitor
            ? try .visitor(configuration, environment) : try .agent(configuration, environment)
    }

    /// Reads events until one is found.
    @discardableResult func wait<Value>(
        _ find: (ClientEvent) -> Value?
    ) async -> Value? {
        for await event in events { if let value = find(event) { return value } }
        return nil
    }

    func waitOnline(_ isOnline: Bool) async { await wait { $0 == .link(isOnline: isOnline) ? true : nil } }
}
