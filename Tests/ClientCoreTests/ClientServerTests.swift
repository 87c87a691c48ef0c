import CallServer
import ClientModel
import ConversationModel
import Foundation
import LiveKitProtocol
import Testing

@testable import ClientCore

/// Clients and the embedded server, over sockets.
@Suite(.timeLimit(.minutes(10))) struct ClientServerTests {
    private static let secret = "client-server-secret-of-32-characters"

    private static func token(_ identity: String, role: String = "visitor", lifetime: Double = 600) -> ClientToken {
        var claims = TokenClaims(
            issuer: "key", subject: identity, expires: Int64(Date().timeIntervalSince1970 + lifetime))
        claims.attributes = ["role": role]
        return ClientToken(AccessToken.mint(claims, secret: secret))
    }

    private static func start(port: Int = 0, directory: String? = nil) async throws -> CallServer {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = port
        configuration.conversations.directory = directory
        let server = CallServer(configuration: configuration)
        try await server.start()
        return server
    }

    private static func client(
        _ name: String, _ role: PersonRole, _ port: Int, token: ClientToken? = nil
    ) throws -> CallClient {
        let configuration = ClientConfiguration(serverURL: "http://127.0.0.1:\(port)", apiKey: "key")
        let given = token ?? Self.token(name, role: role.rawValue)
        let environment = ClientEnvironment(tokens: StaticTokenSource(given), links: FixedLinkHandler(.block))
        return role == .visitor
            ? try .visitor(configuration, environment) : try .agent(configuration, environment)
    }

    private static func message(_ text: String) -> (ClientEvent) -> ConversationMessage? {
        { event in
            if case .conversation(.message(let message)) = event, message.text == text { message } else { nil }
        }
    }

    @Test func visitorAndAgentTalk() async throws {
        let server = try await Self.start()
        let vera = try Self.client("vera", .visitor, server.port)
        let ada = try Self.client("ada", .agent, server.port)
        try await vera.start()
        try await ada.start()
        try await ada.setAvailable(true)
        await vera.wait { $0 == .conversation(.availability(true)) ? true : nil }
        try await vera.setNamedArea("loans")
        let ofAda = ada.events
        let conversation = try await vera.beginConversation(.chat, data: ["tier": "gold"])
        for await event in ofAda {
            if case .conversation(.updated(let info)) = event, info.conversation.id == conversation.id {
                #expect(info.conversation.area == "loans" && info.conversation.data == ["tier": "gold"])
                break
            }
        }
        try await ada.joinConversation(conversation.id)
        let (toAda, toVera) = (ada.events, vera.events)
        try await vera.write("hello", in: conversation.id)
        try await ada.write("yes?", in: conversation.id)
        func heard(_ events: AsyncStream<ClientEvent>, _ text: String) async -> ConversationMessage? {
            for await event in events { if let message = Self.message(text)(event) { return message } }
            return nil
        }
        #expect(await heard(toAda, "hello")?.author == "vera")
        #expect(await heard(toVera, "yes?")?.author == "ada")
        #expect(try await vera.messages(in: conversation.id).count == 2)
        let number = try #require(try await vera.messages(in: conversation.id).last?.number)
        try await vera.markRead(number, in: conversation.id)
        #expect(await vera.unreadCount == 0)
        let ending = vera.events
        try await ada.endConversation(conversation.id)
        for await event in ending {
            if case .conversation(.ended(let ended)) = event, ended.id == conversation.id { break }
        }
        #expect(await vera.openConversation == nil)
        await vera.stop()
        await ada.stop()
        await server.stop()
    }

    @Test func aServerThatComesBack() async throws {
        let directory = NSTemporaryDirectory() + "conversations-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try await Self.start(directory: directory)
        let port = first.port
        let vera = try Self.client("vera", .visitor, port)
        try await vera.start()
        let conversation = try await vera.beginConversation(.chat)
        let events = vera.events
        await first.stop()
        await vera.waitOnline(false)
        for number in 0..<10 { try await vera.write("\(number)", in: conversation.id) }
        let second = try await Self.start(port: port, directory: directory)
        var sent = 0
        for await event in events {
            if case .conversation(.messageFate(_, .sent)) = event { sent += 1 }
            if sent == 10 { break }
        }
        #expect(try await vera.messages(in: conversation.id).map(\.text) == (0..<10).map(String.init))
        #expect(await vera.openConversation?.id == conversation.id)
        await vera.stop()
        await second.stop()
    }

    @Test func tokens() async throws {
        let server = try await Self.start()
        let expired = try Self.client("vera", .visitor, server.port, token: Self.token("vera", lifetime: -600))
        let error = await #expect(throws: ClientError.self) { try await expired.start() }
        #expect(error?.code == .authorization)
        #expect(error?.message.contains(Self.token("vera").value.prefix(20)) == false)
        await expired.setToken(Self.token("vera"))
        try await expired.start()
        await expired.stop()
        await server.stop()
    }

    @Test func aServerWithoutConversations() async throws {
        let server = try await Self.start()
        var configuration = ClientConfiguration(serverURL: "http://127.0.0.1:\(server.port)", apiKey: "key")
        configuration.entryPath = "/elsewhere"
        let client = try CallClient.visitor(
            configuration,
            ClientEnvironment(tokens: StaticTokenSource(Self.token("vera")), links: FixedLinkHandler(.block)))
        let error = await #expect(throws: ClientError.self) { try await client.start() }
        #expect(error?.code == .incompatibleServer && error?.isFatal == true)
        #expect(await client.phase == .failed)
        await server.stop()
    }

    @Test func nobodyThere() async throws {
        let server = try await Self.start()
        let port = server.port
        await server.stop()
        var configuration = ClientConfiguration(serverURL: "http://127.0.0.1:\(port)", apiKey: "key")
        configuration.startTimeout = 200
        let client = try CallClient.visitor(
            configuration,
            ClientEnvironment(tokens: StaticTokenSource(Self.token("vera")), links: FixedLinkHandler(.block)))
        let error = await #expect(throws: ClientError.self) { try await client.start() }
        #expect(error?.code == .unreachable && error?.isFatal == false)
    }
}
