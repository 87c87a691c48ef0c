import NIOCore
import NIOHTTP1
import NIOPosix
import TransportSecurity
import WebClient

/// One POST request on a connection of its own (RFC 9110 section 9.3.3), and the status of its answer.
struct HTTPPost: Sendable {
    /// Why there is no status.
    enum Failure: Error, CustomStringConvertible {
        case timedOut
        case closed

        var description: String {
            switch self {
            case .timedOut: "no answer in time"
            case .closed: "the connection ended without an answer"
            }
        }
    }

    var url: WebhookURL
    var trust: TLSTrust
    var headers: HTTPHeaders
    var body: ByteBuffer

    /// Sends the request. The answer's body is dropped.
    ///
    /// - Parameter timeout: for connection, request and answer together.
    func send(on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<Int> {
        let promise = eventLoop.makePromise(of: Int.self)
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: url.address.host, port: url.address.port)
            // Not in the bootstrap's initializer: of several addresses several connections may come to stand.
            .flatMapThrowing { channel in
                _ = try WebDialer.secure(channel, url.address, trust)
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(
                    HTTPPostHandler(request: self, timeout: timeout, promise: promise))
            }
            .whenFailure { promise.fail($0) }
        return promise.futureResult
    }
}

/// Writes the request when the connection stands, and settles the promise exactly once.
private final class HTTPPostHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private static let largestBody = 64 * 1024
    private let request: HTTPPost
    private let timeout: TimeAmount
    private var promise: EventLoopPromise<Int>?
    private var status: Int?
    private var bodyBytes = 0
    private var timer: Scheduled<Void>?

    init(request: HTTPPost, timeout: TimeAmount, promise: EventLoopPromise<Int>) {
        self.request = request
        self.timeout = timeout
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [self] in
            settle(HTTPPost.Failure.timedOut, context)
        }
        var headers = request.headers
        headers.add(name: "Host", value: request.url.address.authority)
        headers.add(name: "Content-Length", value: "\(request.body.readableBytes)")
        headers.add(name: "Connection", value: "close")
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.url.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = Int(head.status.code)
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > Self.largestBody { settle(HTTPPost.Failure.closed, context) }
        case .end: settle(HTTPPost.Failure.closed, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(HTTPPost.Failure.closed, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { settle(error, context) }

    /// With the status where one has come, whatever became of the rest of the answer; else with `error`.
    private func settle(_ error: any Error, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        self.promise = nil
        timer?.cancel()
        if let status { promise.succeed(status) } else { promise.fail(error) }
        context.close(promise: nil)
    }
}
