import ClientNotifications
import ConversationModel
import ConversationService
import NIOHTTP1

/// Tokens and keys of devices over HTTP, below `/callbridge/v1/notifications`: docs/openapi/conversations.yaml.
struct NotificationRoutes: Sendable {
    static let root = "/callbridge/v1/notifications"
    /// Bytes of a request's body.
    private static let longestBody = 16 * 1024

    let service: ConversationService
    let caller: ConversationCaller

    func add(to router: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestBody) { caller.refusal(of: $0) }
        router.any(Self.root + "/*", body: gate) { request, eventLoop in
            eventLoop.makeFutureWithTask { await caller.respond(to: request, below: Self.root, answer) }
        }
    }

    private func answer(
        _ request: HTTPRequest, _ parts: [String], _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        guard parts.count >= 3, parts[0] == "devices" else { return .notFound }
        let device = parts[1]
        switch (parts[2], parts.count) {
        case ("tokens", 4):
            guard let channel = PushChannel(rawValue: parts[3].uppercased()) else { return .notFound }
            return try await token(request, channel, device, person)
        case ("keys", 3):
            guard request.method == .POST else { return ConversationRoutes.allow("POST") }
            return ConversationRoutes.json(try await service.rotateKey(device: device, by: person), .created)
        case ("keys", 4):
            guard request.method == .GET || request.method == .HEAD else { return ConversationRoutes.allow("GET") }
            return ConversationRoutes.json(try service.notificationKey(parts[3], device: device, by: person))
        default: return .notFound
        }
    }

    private func token(
        _ request: HTTPRequest, _ channel: PushChannel, _ device: String, _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch request.method {
        case .PUT:
            let token = try ConversationRoutes.read(PushTokenRequest.self, request)
            return ConversationRoutes.json(try await service.register(token, channel, device: device, by: person))
        case .DELETE:
            try await service.unregister(channel, device: device, by: person)
            return HTTPResponse(.noContent, "")
        default: return ConversationRoutes.allow("PUT, DELETE")
        }
    }
}
