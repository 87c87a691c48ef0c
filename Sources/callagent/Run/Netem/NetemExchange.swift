import NIOCore
import NIOHTTP1
import TransportSecurity
import WebClient

/// One request to the server behind `netem`, on a connection of its own.
struct NetemExchange: Sendable {
    /// Head and body; a body is 2 MiB at most.
    struct Request: Sendable {
        var head: HTTPRequestHead
        var body: [UInt8]
    }

    struct Response: Sendable {
        var head: HTTPResponseHead
        var body: [UInt8]
    }

    let address: WebAddress
    let trust: TLSTrust

    static let longest = 2 * 1024 * 1024
    private static let timeout = 30.0

    /// Throws what NIO throws, `TLSError` and `WebFailure`.
    func send(_ request: Request, on loop: any EventLoop) async throws -> Response {
        let answer = try await WebDialer.connect(address, trust: trust, timeout: Self.timeout, on: loop) { channel in
            let promise = channel.eventLoop.makePromise(of: Response.self)
            let sync = channel.pipeline.syncOperations
            try sync.addHTTPClientHandlers()
            try sync.addHandler(Collector(request, promise))
            let timer = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(Self.timeout * 1000))) {
                channel.close(promise: nil)
            }
            promise.futureResult.whenComplete { _ in timer.cancel() }
            return promise.futureResult
        }
        return try await answer.get()
    }

    /// The head as the server shall have it: for it, and for one exchange.
    func head(_ head: HTTPRequestHead, target: String, length: Int) -> HTTPRequestHead {
        var result = head
        result.uri = target
        for name in [
            "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect", "Accept-Encoding",
        ] {
            result.headers.remove(name: name)
        }
        result.headers.add(name: "Host", value: address.authority)
        result.headers.add(name: "Connection", value: "close")
        if length > 0 || head.method != .GET { result.headers.add(name: "Content-Length", value: "\(length)") }
        return result
    }
}

/// Writes a request when the connection stands, and collects its answer.
private final class Collector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: NetemExchange.Request
    private var promise: EventLoopPromise<NetemExchange.Response>?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(_ request: NetemExchange.Request, _ promise: EventLoopPromise<NetemExchange.Response>) {
        self.request = request
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        if !request.body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: request.body)))), promise: nil
            )
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let bytes):
            body += bytes.readableBytesView
            if body.count > NetemExchange.longest { settle(.failure(WebFailure.tooLarge), context) }
        case .end:
            guard let head, head.status.code >= 200 else { return }
            settle(.success(NetemExchange.Response(head: head, body: body)), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.failure(WebFailure.closed), context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        promise?.fail(WebFailure.closed)
        promise = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { settle(.failure(error), context) }

    private func settle(_ result: Result<NetemExchange.Response, any Error>, _ context: ChannelHandlerContext) {
        promise?.completeWith(result)
        promise = nil
        context.close(promise: nil)
    }
}
