import CallBridge
import ClientModel
import Foundation
import MediaCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import ClientCore

/// What a client asks at all, whom it believes, and what becomes of links.
@Suite(.timeLimit(.minutes(10))) struct ClientSecurityTests {
    private static let pins = [
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
    ]

    @Test func eachFieldOfSecurityIsNamed() throws {
        func field(_ change: (inout ClientConfiguration) -> Void) -> String? {
            var configuration = ClientConfiguration(serverURL: "https://chat.example", apiKey: "key")
            change(&configuration)
            do { try configuration.validate() } catch { return error.field }
            return nil
        }
        #expect(field { $0.allowedURLs = [#"https://fonts\.example/.*"#] } == nil)
        #expect(field { $0.allowedURLs = ["https://fonts.example/("] } == "allowedURLs")
        #expect(field { $0.serverURL = "https://chat.example/a/../b" } == "serverURL")
        #expect(field { $0.allowedURLs = [""] } == "allowedURLs")
        #expect(field { $0.pins = Self.pins } == nil)
        #expect(field { $0.pins = [Self.pins[0]] } == "pins")
        #expect(field { $0.pins = ["sha256/short", Self.pins[0]] } == "pins")
        var configuration = ClientConfiguration(serverURL: "https://chat.example", apiKey: "key")
        configuration.pins = Self.pins
        configuration.allowedURLs = ["https://a/.*"]
        let read = try JSONDecoder().decode(ClientConfiguration.self, from: JSONEncoder().encode(configuration))
        #expect(read == configuration)
    }

    @Test func linksAreDecidedByTheHandler() async throws {
        let client = try CallClient.scripted(ScriptedService()) { _, environment in
            environment.links = try PatternLinkHandler(
                "open https://bank\\.example/.*\nignore https://ads\\.example/.*")
        }
        #expect(await client.decide(onLink: "https://bank.example/rates?from=chat") == .open)
        #expect(await client.decide(onLink: "https://ads.example/") == .ignore)
        #expect(await client.decide(onLink: "https://bank.example@evil.example/") == .block)
        #expect(await client.decide(onLink: "https://chat.example/page", in: .frame) == .open)
        #expect(await client.decide(onLink: "https://chat.example/page") == .block)
        #expect(client.linkDecisions.map(\.decision) == [.open, .ignore, .block, .open, .block])
        #expect(client.linkDecisions.first?.url == "https://bank.example/rates")
    }

    /// Answers every connection with one answer, and counts them.
    private final class Listener: Sendable {
        let channel: any Channel

        private final class Answerer: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            let answer: String
            init(_ answer: String) { self.answer = answer }
            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let channel = context.channel
                channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
            }
        }

        private final class Counter: Sendable {
            let count = Atomic<Int>(0)
        }
        private let counter: Counter
        var connections: Int { counter.count.load(ordering: .relaxed) }

        init(_ answer: String) async throws {
            let counter = Counter()
            self.counter = counter
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    counter.count.wrappingAdd(1, ordering: .relaxed)
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Answerer(answer))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        var port: Int { channel.localAddress?.port ?? 0 }
    }

    /// A token server sends us on: to its own host that is followed, elsewhere it is not.
    @Test func tokensComeFromTheirOwnHost() async throws {
        let elsewhere = try await Listener("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
        let place = "http://127.0.0.1:\(elsewhere.port)/token?code=hush"
        let server = try await Listener("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
        let url = "http://127.0.0.1:\(server.port)/token"
        let error = await #expect(throws: ClientError.self) { _ = try await HTTPTokenSource(url: url).token() }
        #expect(error?.code == .authorization && error?.message.contains("pattern") == true)
        #expect(error?.message.contains("hush") == false)
        #expect(server.connections == 1 && elsewhere.connections == 0)
        let allowing = HTTPTokenSource(url: url, allowedURLs: [#"http://127\.0\.0\.1:\#(elsewhere.port)/token\?.*"#])
        #expect(try await allowing.token().value == "stray")
        try await server.channel.close()
        try await elsewhere.channel.close()
    }

    /// A provider that counts who would have called.
    private final class CountingProvider: CallProvider {
        let kind = ProviderKind.liveKit
        let capabilities: ProviderCapabilities = []
        let count = Atomic<Int>(0)
        let trust = Mutex<ServerTrust?>(nil)

        func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
            count.wrappingAdd(1, ordering: .relaxed)
            trust.withLock { $0 = context.trust }
            throw CallError(.provider, .providerRefused, "full")
        }
    }

    /// What a descriptor names is judged before any provider sees it, and providers get the client's pins.
    @Test(arguments: [
        ("wss://chat.example/calls", true), ("wss://media.example/calls", true), ("wss://evil.example/calls", false),
        ("ws://chat.example/calls", false), ("wss://chat.example@evil.example", false),
    ])
    func descriptorsAreJudged(endpoint: String, isAllowed: Bool) async throws {
        let provider = CountingProvider()
        let descriptor = CallDescriptor(
            callId: "call", conversationId: "c-1", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: endpoint, credentials: .init(token: "t"))
        let module = CallModule(
            .init(descriptors: FixedDescriptorSource(descriptor), providers: [.init(provider)]))
        let client = try CallClient.scripted(ScriptedService()) { configuration, environment in
            configuration.allowedURLs = [#"wss://media\.example/.*"#]
            configuration.pins = Self.pins
            try environment.modules.register(module)
        }
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        let error = await #expect(throws: ClientError.self) {
            _ = try await client.startAudioCall(in: conversation.id)
        }
        #expect(error?.code == .callFailed)
        #expect(provider.count.load(ordering: .relaxed) == (isAllowed ? 1 : 0))
        if isAllowed {
            let pins = try CertificatePins(Self.pins)
            #expect(provider.trust.withLock { $0?.roots.pins } == pins)
        } else {
            #expect(error?.message.contains("is not asked") == true, "\(error?.message ?? "")")
        }
        await client.stop()
        await module.shutdown()
    }
}
