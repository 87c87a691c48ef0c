import CallModel
import ConversationModel
import ConversationService
import Foundation
import NIOCore
import NIOHTTP1

/// Conversations over HTTP and a WebSocket, below `/callbridge/v1/conversations`: docs/openapi/conversations.yaml says what each
/// path takes and gives. Answers are JSON where they are good, and one sentence of text where not.
struct ConversationRoutes: Sendable {
    static let root = "/callbridge/v1/conversations"
    /// Bytes of a request's body.
    private static let longestBody = 64 * 1024

    let service: ConversationService
    let caller: ConversationCaller
    /// The conversation's call ends.
    let endCall: @Sendable (String) -> Void

    func add(to router: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestBody) { caller.refusal(of: $0) }
        for path in [Self.root, Self.root + "/*"] {
            router.any(path, body: gate) { request, eventLoop in
                // The disk takes its time: the loop goes on meanwhile.
                eventLoop.makeFutureWithTask { await respond(to: request) }
            }
        }
        router.webSocket(
            Self.root + "/events",
            plain: { _ in HTTPResponse(.upgradeRequired, "this is a WebSocket; ask for an upgrade") },
            decide: open)
        router.webSocket(
            Self.root + "/co-browsing",
            plain: { _ in HTTPResponse(.upgradeRequired, "this is a WebSocket; ask for an upgrade") },
            later: { request, eventLoop in eventLoop.makeFutureWithTask { await openCoBrowsing(request) } })
    }

    /// For participants of the conversation that the query names, while it is not over.
    private func openCoBrowsing(_ request: HTTPRequest) async -> WebSocketDecision {
        do throws(ConversationHTTPFault) {
            let person = try caller.person(request)
            let conversation: Conversation
            do throws(ConversationRefusal) {
                guard let id = request["conversation"] else {
                    throw ConversationRefusal(.invalid, "conversation: name one in the query")
                }
                conversation = try await service.conversation(id, for: person).conversation
                guard conversation.participant(person.id) != nil else {
                    throw ConversationRefusal(.forbidden, "only who is in a conversation may do that; join it first")
                }
                guard conversation.state != .ended else {
                    throw ConversationRefusal(.conflict, "the conversation \(id) is over; begin another one")
                }
            } catch { throw ConversationHTTPFault(error) }
            return .accept { CoBrowsingSocket(channel: $0, person: person, conversation, service) }
        } catch { return .refuse(error.response) }
    }

    private func open(_ request: HTTPRequest) -> WebSocketDecision {
        do throws(ConversationHTTPFault) {
            let person = try caller.person(request)
            return .accept { ConversationSocket(channel: $0, person: person, service: service) }
        } catch { return .refuse(error.response) }
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await caller.respond(to: request, below: Self.root, answer)
    }

    private func answer(
        _ request: HTTPRequest, _ parts: [String], _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch (parts.count, parts.last) {
        case (0, _): return try await all(request, person)
        case (1, "availability"):
            guard request.method == .PUT else { return Self.allow("PUT") }
            let isAvailable = try Self.read(AvailabilityRequest.self, request).isAvailable
            try service.setAvailable(isAvailable, person)
            return HTTPResponse(.noContent, "")
        case (1, _):
            guard request.method == .GET || request.method == .HEAD else { return Self.allow("GET") }
            return Self.json(try await service.conversation(parts[0], for: person))
        case (2, "messages"):
            guard request.method == .GET || request.method == .HEAD else { return Self.allow("GET") }
            guard let after = Int64(request["after"] ?? "0") else {
                throw ConversationRefusal(.invalid, "after: use the number of a message, or 0")
            }
            return Self.json(try await service.messages(in: parts[0], after: after, for: person))
        case (2, "files"): return try await files(request, parts[0], person)
        case (2, _): return try await change(request, parts[0], parts[1], person)
        case (3, _) where parts[1] == "messages":
            guard request.method == .PUT else { return Self.allow("PUT") }
            let text = try Self.read(MessageRequest.self, request).text
            return Self.json(try await service.write(text, clientId: parts[2], in: parts[0], by: person))
        default: return .notFound
        }
    }

    private func all(
        _ request: HTTPRequest, _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch request.method {
        case .GET, .HEAD: return Self.json(try await service.snapshot(person))
        case .POST:
            let (conversation, isNew) = try await service.begin(
                try Self.read(ConversationRequest.self, request), by: person)
            return Self.json(conversation, isNew ? .created : .ok)
        default: return Self.allow("GET, POST")
        }
    }

    private func files(
        _ request: HTTPRequest, _ id: String, _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch request.method {
        case .GET, .HEAD: return Self.json(try await service.files(in: id, for: person))
        case .POST:
            let (file, isNew) = try await service.announce(try Self.read(FileRequest.self, request), in: id, by: person)
            return Self.json(file, isNew ? .created : .ok)
        default: return Self.allow("GET, POST")
        }
    }

    /// What changes a conversation, by the last part of the path.
    private func change(
        _ request: HTTPRequest, _ id: String, _ what: String, _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        let change: ConversationRules.Change
        switch (what, request.method) {
        case ("participants", .POST): change = .join
        case ("end", .POST): change = .end
        case ("read", .PUT): change = .read(try Self.read(ReadRequest.self, request).number)
        case ("call", .PUT): change = .call(try Self.read(CallRequest.self, request).callType)
        case ("call", .DELETE): change = .call(nil)
        case ("participants", _), ("end", _): return Self.allow("POST")
        case ("read", _): return Self.allow("PUT")
        case ("call", _): return Self.allow("PUT, DELETE")
        default: return .notFound
        }
        let info = try await service.change(id, change, by: person)
        if change == .end { endCall(id) }
        return Self.json(info)
    }

    static func read<Value: Decodable>(
        _ type: Value.Type, _ request: HTTPRequest
    ) throws(ConversationRefusal) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(request.body.readableBytesView)) } catch {
            throw ConversationRefusal(
                .invalid, "the body is no \(type); docs/openapi/conversations.yaml says how it is written")
        }
    }

    static func json(_ value: some Encodable, _ status: HTTPResponseStatus = .ok) -> HTTPResponse {
        guard let bytes = bytes(value) else { return HTTPResponse(.internalServerError, "the answer can't be written") }
        var response = HTTPResponse.json(bytes, status: status)
        response.fields["Cache-Control"] = "no-store"
        return response
    }

    static func bytes(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init)
    }

    static func allow(_ methods: String) -> HTTPResponse {
        var response = HTTPResponse(.methodNotAllowed, "this path does not have this method")
        response.fields["Allow"] = methods
        return response
    }
}

extension RingHub {
    /// The call that rings or is under way in a conversation ends with it.
    func endCall(ofConversation id: String) {
        guard let call = call(ofConversation: id) else { return }
        event(call) { $0.end(.conversationEnded, at: $1, into: &$2) }
    }
}
