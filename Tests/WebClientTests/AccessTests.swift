import AccessPolicy
import CallBridge
import ProviderLiveKitLike
import Foundation
import MediaCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import TransportSecurity
@testable import WebClient

/// What the policy refuses is not connected to.
@Suite(.timeLimit(.minutes(10))) struct AccessTests {
    @Test func aRedirectionOutsideIsNotFollowed() async throws {
        let authority = try TestAuthority()
        let outside = try await TestWebServer(try TestWebServer.context(authority))
        // The same host on another port is another place.
        let server = try await TestWebServer(
            try TestWebServer.context(authority), redirection: "https://localhost:\(outside.port)/x?token=hush")
        var trust = authority.root
        trust.policies = [try URLPolicy(base: "https://localhost:\(server.port)")]
        #expect(try await PinningTests.get(server, trust, "/inside").status == 200)
        do {
            _ = try await PinningTests.get(server, trust, "/elsewhere")
            Issue.record("it was followed")
        } catch WebFailure.refused(let refusal) {
            #expect(refusal.url == "https://localhost:\(outside.port)/x" && !"\(refusal)".contains("hush"))
        }
        #expect(outside.count == 0, "nobody came")
        // Allowed by a pattern it is followed.
        trust.policies = [
            try URLPolicy(
                base: "https://localhost:\(server.port)", patterns: [#"https://localhost:\#(outside.port)/x(\?.*)?"#])
        ]
        #expect(try await PinningTests.get(server, trust, "/elsewhere").status == 200)
        #expect(outside.count == 1)
        try await server.stop()
        try await outside.stop()
    }

    @Test(arguments: [
        "https://127.0.0.1:PORT/x", "https://localhost.:PORT/x", "https://localhost@127.0.0.1:PORT/x",
        "http://localhost:PORT/x", "https://localhost:PORT/other/../x", "https://LOCALHOST:PORT/y",
    ])
    func nobodyComes(text: String) async throws {
        let server = try await TestWebServer(nil)
        let url = text.replacing("PORT", with: "\(server.port)")
        var trust = TLSTrust(rootsFile: nil)
        trust.policies = [try URLPolicy(base: "https://localhost:\(server.port)/x")]
        let parts = try #require(URLComponents(string: url))
        let refused = await #expect(throws: WebFailure.self) {
            _ = try await WebClient.send(WebRequest(.get, parts, trust: trust))
        }
        guard case .refused = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        let address = try WebAddress(parts)
        await #expect(throws: URLRefusal.self) {
            _ = try await WebSocketConnection<[UInt8]>.open(
                .init(address, trust: trust, target: "/events", headers: [("Host", "x")], timeout: 5)
            ) { $0 }
        }
        #expect(server.count == 0)
        try await server.stop()
    }

    /// What the parser of the policy reads and what is dialed have to be the same host.
    @Test func bothParsersHaveToAgree() throws {
        var trust = TLSTrust(rootsFile: nil)
        trust.policies = [try URLPolicy(base: "https://chat.example")]
        try trust.check("https://chat.example/x", dialing: "CHAT.example")
        for authority in ["evil.example", "chat.example:8443", "chat.example@evil.example", ""] {
            #expect(throws: URLRefusal.self) { try trust.check("https://chat.example/x", dialing: authority) }
        }
        trust.policies = [try URLPolicy(base: "https://[::1]:8443")]
        try trust.check("https://[0:0::1]:8443/", dialing: "[0:0:0:0:0:0:0:1]:8443")
    }

    @Test func signallingOutsideIsNotAsked() async throws {
        let server = try await TestWebServer(nil)
        let policy = try URLPolicy(base: "https://chat.example")
        for provider in [ProviderKind.liveKit, .openTok] {
            let descriptor = CallDescriptor(
                callId: "c", conversationId: "c", provider: provider, serviceProviderCallId: "r",
                endpoint: "ws://127.0.0.1:\(server.port)", credentials: .init(token: "no.real.token"))
            let bridge = CallBridge(
                configuration: .init(
                    server: "https://chat.example", credentials: .apiKey("k", secret: "s"), providers: [.liveKitLike],
                    trust: ServerTrust.system.allowing(policy)))
            let error = await #expect(throws: CallError.self) { _ = try await bridge.join(descriptor) }
            if provider == .liveKit { #expect(error?.code == .urlRefused && error?.fault == .configuration) }
            await bridge.shutdown()
        }
        #expect(server.count == 0)
        try await server.stop()
    }

    /// Counts datagrams.
    private final class Counter: ChannelInboundHandler, Sendable {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        let count = Atomic<Int>(0)
        let arrivals: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation

        init() { (arrivals, arrived) = AsyncStream.makeStream(of: Void.self) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count.wrappingAdd(1, ordering: .relaxed)
            arrived.yield()
        }
    }

    /// A STUN server of a host outside gets no datagram, though it is named before the one that is asked.
    @Test func iceServersOutsideAreNotAsked() async throws {
        let (outside, inside) = (Counter(), Counter())
        func bind(_ counter: Counter) async throws -> any Channel {
            try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { $0.pipeline.addHandler(counter) }.bind(host: "127.0.0.1", port: 0).get()
        }
        let (first, second) = (try await bind(outside), try await bind(inside))
        func url(_ channel: any Channel) -> String { "stun:127.0.0.1:\(channel.localAddress?.port ?? 0)" }
        var configuration = MediaSessionConfiguration()
        configuration.bindAddress = "127.0.0.1"
        var trust = TLSTrust(rootsFile: nil)
        trust.policies = [
            try URLPolicy(base: "https://chat.example", patterns: [url(second).replacing(".", with: "\\.")])
        ]
        configuration.trust = trust
        configuration.iceServers = [
            SessionICEServer(urls: [url(first), "stun:chat.example@127.0.0.1"]), SessionICEServer(urls: [url(second)]),
        ]
        let engine = MediaEngine()
        let session = try await MediaSession(engine: engine, configuration: configuration)
        // Three requests: had the first been asked, its would have come meanwhile.
        var seen = 0
        for await _ in inside.arrivals {
            seen += 1
            if seen == 3 { break }
        }
        #expect(outside.count.load(ordering: .relaxed) == 0 && inside.count.load(ordering: .relaxed) >= 3)
        await session.close()
        await engine.shutdown()
        try await first.close()
        try await second.close()
    }
}
