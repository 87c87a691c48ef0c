import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import TransportSecurity
import WebClient

/// Stands for a server's signalling: what passes leads media through the relays of each client.
final class NetemProxy: Sendable {
    private let listener: any Channel
    private let group: MultiThreadedEventLoopGroup

    private init(listener: any Channel, group: MultiThreadedEventLoopGroup) {
        self.listener = listener
        self.group = group
    }

    /// What all connections share.
    struct Service: Sendable {
        let exchange: NetemExchange
        let clients: NetemClients
        let address: WebAddress
        let trust: TLSTrust
    }

    /// Listens; TLS is spoken towards the server alone. Throws what NIO throws.
    static func listen(host: String, port: Int, _ service: Service) async throws -> NetemProxy {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try NetemConnection.install(on: channel, service) }
                }
                .bind(host: host, port: port).get()
            return NetemProxy(listener: listener, group: group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    func close() async {
        try? await listener.close()
        try? await group.shutdownGracefully()
    }
}

/// A client's connection until it is a WebSocket, or its request has been answered.
// Touched on its channel's loop only.
final class NetemConnection: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let service: NetemProxy.Service
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The server's end of a WebSocket, and whose it is.
    private var server: NetemBridge?
    /// What a WebSocket was refused with.
    private var refusal: NetemExchange.Response?
    private var isAnswering = false

    private init(_ service: NetemProxy.Service) { self.service = service }

    static func install(on channel: any Channel, _ service: NetemProxy.Service) throws {
        let connection = NetemConnection(service)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: NetemBridge.longest,
            shouldUpgrade: { channel, head in connection.dial(head, channel) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try connection.bridge(channel) }
            })
        let upgrades: NIOHTTPServerUpgradeSendableConfiguration = (
            upgraders: [upgrader], completionHandler: { _ in channel.pipeline.removeHandler(connection, promise: nil) }
        )
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withServerUpgrade: upgrades)
        try channel.pipeline.syncOperations.addHandler(connection)
    }

    // MARK: WebSockets

    /// Asks the server for the same; nil where it refuses.
    private func dial(_ head: HTTPRequestHead, _ channel: any Channel) -> EventLoopFuture<HTTPHeaders?> {
        let host = NetemConnection.host(of: channel)
        let name =
            SignalRewriter.name(target: head.uri, authorization: head.headers.first(name: "authorization"))
            ?? channel.remoteAddress.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? "?"
        let clients = service.clients
        let dialled = channel.eventLoop.makeFutureWithTask { [self] in
            let client = try await clients.join(name, host: host)
            channel.closeFuture.whenComplete { _ in Task { await clients.leave(name) } }
            return try await request(head, client, channel)
        }
        return dialled.map { self.take($0) }.flatMapErrorThrowing { error in
            self.refusal = Self.failure(error)
            return nil
        }
    }

    private func request(
        _ head: HTTPRequestHead, _ client: NetemClients.Client, _ channel: any Channel
    ) async throws -> NetemBridge.Outcome {
        let target = SignalRewriter.fromClient(target: head.uri)
        let headers =
            [("Host", service.address.authority)]
            + head.headers.filter { field in
                let name = field.name.lowercased()
                return !["host", "connection", "upgrade"].contains(name) && !name.hasPrefix("sec-websocket-")
            }.map { ($0.name, $0.value) }
        let outcome = try await WebDialer.connect(
            service.address, trust: service.trust, timeout: 10, on: channel.eventLoop
        ) { upstream in
            var rewriter = SignalRewriter(candidates: client.candidates)
            return try NetemBridge.request(target, headers, on: upstream) { rewriter.fromServer($0) }
        }
        return try await outcome.get()
    }

    private func take(_ outcome: NetemBridge.Outcome) -> HTTPHeaders? {
        switch outcome {
        case .connected(let bridge):
            server = bridge
            return [:]
        case .refused(let status, let body):
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: status),
                headers: ["Content-Type": "text/plain"])
            refusal = NetemExchange.Response(head: head, body: Array(body.utf8))
            return nil
        }
    }

    private func bridge(_ channel: any Channel) throws {
        guard let server else { return }
        let bridge = NetemBridge(isServer: false) { SignalRewriter.fromClient($0) }
        try channel.pipeline.syncOperations.addHandlers([NetemBridge.aggregator(), bridge])
        NetemBridge.join(bridge, server)
        // The client's end keeps the server's as long as it is there itself.
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(server) {} }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let bytes):
            body += bytes.readableBytesView
            if body.count > NetemExchange.longest { context.close(promise: nil) }
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head, !isAnswering else { return context.close(promise: nil) }
        isAnswering = true
        let channel = context.channel
        if let refusal { return Self.write(refusal, head, to: channel) }
        let request = NetemExchange.Request(head: head, body: body)
        let forward = NetemForward(service: service, host: NetemConnection.host(of: channel))
        channel.eventLoop.makeFutureWithTask { try await forward.answer(request) }.whenComplete {
            switch $0 {
            case .success(let response): Self.write(response, head, to: channel)
            case .failure(let error): Self.write(Self.failure(error), head, to: channel)
            }
        }
    }

    private static func failure(_ error: any Error) -> NetemExchange.Response {
        let reason = (error as? NetemRefusal)?.description ?? "the server does not answer: \(WebDialer.reason(error))"
        return NetemExchange.Response(
            head: HTTPResponseHead(version: .http1_1, status: .badGateway, headers: ["Content-Type": "text/plain"]),
            body: Array("netem: \(reason)\n".utf8))
    }

    /// Answers, and ends the connection.
    private static func write(_ response: NetemExchange.Response, _ request: HTTPRequestHead, to channel: any Channel) {
        var head = response.head
        for name in ["Connection", "Transfer-Encoding", "Content-Length", "Keep-Alive"] {
            head.headers.remove(name: name)
        }
        head.headers.add(name: "Connection", value: "close")
        if head.status != .noContent { head.headers.add(name: "Content-Length", value: "\(response.body.count)") }
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if request.method != .HEAD, !response.body.isEmpty {
            channel.write(
                HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: response.body))), promise: nil)
        }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// The address of this machine by which a client has reached it: relays on it reach the client, too.
    private static func host(of channel: any Channel) -> String { channel.localAddress?.ipAddress ?? "127.0.0.1" }
}
