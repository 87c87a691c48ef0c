import ClientNotifications
import ConversationService
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import Testing
import TransportSecurity

@testable import CallServer

/// A carrier in this process, whose answers follow a script.
private final class ScriptedPost: PushPost {
    private let answer: @Sendable (Int, PushRequest) -> PushAnswer
    private let sent = NIOLockedValueBox<[PushRequest]>([])
    /// One element for each request.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init(_ answer: @escaping @Sendable (Int, PushRequest) -> PushAnswer) {
        self.answer = answer
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    var requests: [PushRequest] { sent.withLockedValue(\.self) }

    func send(_ request: PushRequest) async -> PushAnswer {
        let number = sent.withLockedValue { sent in
            sent.append(request)
            return sent.count - 1
        }
        arrived.yield()
        return answer(number, request)
    }

    func close() async {}
}

@Suite(.timeLimit(.minutes(10))) struct PushGatewayTests {
    private static func gateway(
        _ posts: [PushCarrier: any PushPost], now: Int64 = 0, logger: Logger? = nil,
        prune: @escaping @Sendable (PushTarget, Int64?) -> Void = { _, _ in },
        change: (inout WebhookPolicy) -> Void = { _ in }
    ) -> PushGateway {
        var settings = PushGatewaySettings()
        settings.topic = "example.app"
        settings.policy.firstDelay = .milliseconds(5)
        settings.policy.longestDelay = .milliseconds(20)
        change(&settings.policy)
        return PushGateway(
            posts, settings: settings, on: MultiThreadedEventLoopGroup.singleton.any(), now: { now },
            prune: { prune($0, $1) },
            logger: logger ?? Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func repeatedUntilTaken() async throws {
        let post = ScriptedPost { number, _ in PushAnswer(status: number < 3 ? 503 : 200) }
        let book = LogBook(.info)
        let gateway = Self.gateway([.apns: post], logger: book.logger)
        gateway.carry([.test(.missedCall, id: "n1"), .test(.missedCall, id: "n1")])
        gateway.carry([.test(.message, id: "n2")])
        #expect(try await gateway.flush(within: .seconds(60)).get() == 0)
        #expect(post.requests.count == 5, "three in vain, and each once")
        #expect(Set(post.requests.prefix(4).map(\.body)).count == 1, "the same bytes again")
        let counted = try await gateway.statistics().get()
        #expect(counted.backlog.delivered == 2 && counted.backlog.repetitions == 3 && counted.pruned == 0)
        #expect(book.contains("push.sent.missed-call") && !book.contains("push.sent.voip"))
        #expect(!book.contains("00ff") && !book.contains("hello"), "neither tokens nor words")
    }

    @Test func tokensThatAreGone() async throws {
        let post = ScriptedPost { _, _ in
            PushAnswer(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":77}"#.utf8))
        }
        let (gone, writer) = AsyncStream.makeStream(of: String.self)
        let gateway = Self.gateway([.apns: post], prune: { writer.yield("\($0.token) \($1 ?? 0)") })
        gateway.carry([.test()])
        #expect(await gone.first { _ in true } == "00ff 77")
        #expect(try await gateway.statistics().get().pruned == 1)
        #expect(post.requests.count == 1, "not again")
    }

    @Test func whatIsOfNoUse() async throws {
        let post = ScriptedPost { _, _ in PushAnswer(status: 200) }
        let gateway = Self.gateway([.apns: post], now: 9_000_000)
        gateway.carry([.test(.incomingCall, .call), .test(.message, .remote, .fcm)])
        #expect(try await gateway.flush(within: .seconds(60)).get() == 0)
        #expect(post.requests.isEmpty, "too late, and no such carrier")
    }

    @Test func bounds() async throws {
        let post = ScriptedPost { _, _ in PushAnswer(status: 503) }
        let gateway = Self.gateway(
            [.apns: post],
            change: { policy in
                policy.entries = 5
                policy.entriesPerKey = 2
            })
        gateway.carry((0..<4).map { .test(token: "aa", id: "n\($0)") })
        gateway.carry((0..<9).map { .test(token: "b\($0)", id: "n") })
        let counted = try await gateway.statistics().get().backlog
        #expect(counted.waiting == 5 && counted.overflowed == 8)
        #expect(try await gateway.flush(within: .milliseconds(50)).get() == 5, "in vain")
    }

    /// The carrier wants to be left alone: that long nothing comes.
    @Test func retryAfter() async throws {
        let post = ScriptedPost { _, _ in PushAnswer(status: 429, retryAfter: "3600") }
        let gateway = Self.gateway([.apns: post])
        gateway.carry([.test()])
        _ = await post.arrivals.first { _ in true }
        #expect(try await gateway.flush(within: .milliseconds(100)).get() == 1)
        #expect(post.requests.count == 1)
    }

    // MARK: On the wire

    @Test func fcmOnTheWire() async throws {
        let receiver = WebhookReceiver { $0 == 0 ? .serviceUnavailable : .ok }
        try await withHTTPServer(receiver.router) { server in
            let file = NSTemporaryDirectory() + "token-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try Data("fcm-token\n".utf8).write(to: URL(fileURLWithPath: file))
            let url = "http://127.0.0.1:\(server.port)/hooks"
            let address = try #require(
                PushCarrierAddress(url, tokenFile: file, trust: TLSTrust(rootsFile: nil)))
            let gateway = Self.gateway([.fcm: HTTP1Post(address: address)])
            gateway.carry([.test(.message, .remote, .fcm, token: "device:1")])
            let requests = await receiver.count(2)
            #expect(requests.allSatisfy { $0.authorization == "Bearer fcm-token" })
            #expect(requests.allSatisfy { $0.contentType == "application/json" })
            #expect(requests[0].text == requests[1].text && requests[0].text.contains(#""token":"device:1""#))
            #expect(try await gateway.flush(within: .seconds(60)).get() == 0)
        }
    }

    /// Many notifications on one connection of HTTP/2; one whose carrier went away comes again on another.
    @Test func apnsOnTheWire() async throws {
        let carrier = try await HTTP2TestServer.start()
        let address = try #require(
            PushCarrierAddress(
                "http://127.0.0.1:\(carrier.port)", tokenFile: nil, trust: TLSTrust(rootsFile: nil)))
        let post = try HTTP2Post(address, on: MultiThreadedEventLoopGroup.singleton.any())
        let gateway = Self.gateway([.apns: post])
        gateway.carry((0..<200).map { .test(token: String($0 + 256, radix: 16) + "0", id: "n\($0)") })
        await carrier.until(200)
        #expect(carrier.connections == 1)
        let first = try #require(carrier.requests.first)
        #expect(first.head.method == .POST && first.head.uri.hasPrefix("/3/device/"))
        #expect(first.head.headers["apns-topic"] == ["example.app"] && first.body.contains("callbridge.notification"))
        await carrier.dropConnections()
        gateway.carry([.test(token: "ee", id: "last")])
        await carrier.until(201)
        #expect(carrier.connections == 2)
        #expect(try await gateway.flush(within: .seconds(60)).get() == 0)
        #expect(try await gateway.statistics().get().backlog.delivered == 201)
        await carrier.stop()
    }

    @Test func nobodyThere() async throws {
        let carrier = try await HTTP2TestServer.start()
        let port = carrier.port
        await carrier.stop()
        let address = try #require(
            PushCarrierAddress("http://127.0.0.1:\(port)", tokenFile: nil, trust: TLSTrust(rootsFile: nil)))
        let post = try HTTP2Post(address, on: MultiThreadedEventLoopGroup.singleton.any())
        let answer = await post.send(PushRequest(path: "/3/device/00", body: [1]))
        #expect(answer.failure != nil && answer.status == 0)
        let missing = try #require(
            PushCarrierAddress("http://127.0.0.1:\(port)", tokenFile: "/no/such", trust: TLSTrust(rootsFile: nil)))
        let without = await HTTP1Post(address: missing).send(PushRequest(body: [1]))
        #expect(without.failure?.contains("/no/such") == true)
        for url in ["", "ftp://x", "http://", "http://u@x/", "x"] {
            #expect(PushCarrierAddress(url, tokenFile: nil, trust: TLSTrust(rootsFile: nil)) == nil, "\(url)")
        }
    }
}

/// A server of HTTP/2 with prior knowledge that answers 200, and notes what came.
private final class HTTP2TestServer: Sendable {
    struct Request: Sendable {
        var head: HTTPRequestHead
        var body: String
    }

    private struct State {
        var requests: [Request] = []
        var channels: [any Channel] = []
        var connections = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: NIOLockedValueBox<State>
    private let channel: any Channel

    private init(_ channel: any Channel, _ state: NIOLockedValueBox<State>) {
        self.channel = channel
        self.state = state
    }

    static func start() async throws -> HTTP2TestServer {
        let state = NIOLockedValueBox(State())
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                state.withLockedValue {
                    $0.channels.append(channel)
                    $0.connections += 1
                }
                return channel.configureHTTP2Pipeline(
                    mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandlers([
                            HTTP2FramePayloadToHTTP1ServerCodec(), Answering { note($0, state) },
                        ])
                    }
                }.map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return HTTP2TestServer(channel, state)
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var requests: [Request] { state.withLockedValue(\.requests) }
    var connections: Int { state.withLockedValue(\.connections) }

    func until(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLockedValue { state in
                guard state.requests.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func dropConnections() async {
        let channels = state.withLockedValue { state in
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels { try? await channel.close() }
    }

    func stop() async {
        await dropConnections()
        try? await channel.close()
    }

    private static func note(_ request: Request, _ state: NIOLockedValueBox<State>) {
        let ready = state.withLockedValue { state in
            state.requests.append(request)
            let count = state.requests.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let note: (Request) -> Void
        private var head: HTTPRequestHead?
        private var body = ""

        init(_ note: @escaping (Request) -> Void) { self.note = note }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let bytes): body += String(buffer: bytes)
            case .end:
                if let head { note(Request(head: head, body: body)) }
                context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http2, status: .ok))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
