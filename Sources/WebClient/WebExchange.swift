import NIOCore
import NIOHTTP1

/// Writes one request when the connection stands, and hands its answer out.
final class WebExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: WebRequest
    private let authority: String
    private let isStream: Bool
    private var promise: EventLoopPromise<WebStream>?
    private var body: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    private var timer: Scheduled<Void>?
    private var isBegun = false

    init(_ request: WebRequest, authority: String, isStream: Bool, promise: EventLoopPromise<WebStream>) {
        self.request = request
        self.authority = authority
        self.isStream = isStream
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        setTimer(context)
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !isBegun else { return }
        isBegun = true
        var headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        headers.add(name: "Host", value: authority)
        headers.add(name: "Connection", value: "close")
        if request.method != .get { headers.add(name: "Content-Length", value: "\(request.body.count)") }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue), uri: request.target,
            headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: request.body)))), promise: nil
            )
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Of a whole answer from the beginning, of a stream from the last piece.
    private func setTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let limit = TimeAmount.milliseconds(Int64(request.timeout * 1000))
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
            settle(.timedOut)
            context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isStream { setTimer(context) }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Informational answers come before the one that counts.
            guard head.status.code >= 200, let promise else { return }
            self.promise = nil
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
            let channel = context.channel
            continuation.onTermination = { _ in channel.close(promise: nil) }
            body = continuation
            promise.succeed(
                WebStream(
                    status: Int(head.status.code),
                    fields: Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }, body: stream,
                    channel: channel))
        case .body(let bytes): body?.yield(Array(bytes.readableBytesView))
        case .end:
            settle(nil)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.closed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { settle(.closed) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settle(error is HTTPParserError ? .notHTTP : WebFailure(error))
        context.close(promise: nil)
    }

    /// The answer is complete, or there will be no more of it.
    private func settle(_ failure: WebFailure?) {
        timer?.cancel()
        promise?.fail(failure ?? .closed)
        promise = nil
        body?.finish(throwing: failure)
        body = nil
    }
}
