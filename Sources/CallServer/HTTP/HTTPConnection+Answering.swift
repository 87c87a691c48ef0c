import CallModel
import LiveKitProtocol
import Logging
import NIOCore
import NIOHTTP1

extension HTTPConnection {
    /// Gives a whole request to its route.
    func answer(_ request: HTTPRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        exchanges &+= 1
        connections?.note(context.channel, .busy)
        // The decoder parses nothing behind a request to upgrade, granted or not.
        let endsParsing = head.headers.contains(name: "upgrade") || head.method == .CONNECT
        state = .answering(
            Exchange(
                method: request.method, path: request.path, keepsAlive: head.isKeepAlive && !endsParsing,
                isCrossOrigin: CrossOrigin.isAsked(head.headers)))
        setDeadline(limits.answerTimeout, context)
        if let preflight = CrossOrigin.preflight(request) { return respond(preflight, context) }
        if request.isUpgrade, case .webSocket(_, let decide) = router.route(for: request.path) {
            return upgrade(request, head, decide, context)
        }
        if request.method == .GET, case .events(let decide) = router.route(for: request.path) {
            return stream(decide(request), context)
        }
        whenAnswered(router.respond(to: request, on: context.eventLoop), context) { [self] in respond($0, context) }
    }

    /// Calls `body` with the result on this loop, unless the request has been answered otherwise meanwhile.
    func whenAnswered<T: Sendable>(
        _ future: EventLoopFuture<T>, _ context: ChannelHandlerContext, _ body: @escaping (T) -> Void
    ) {
        let exchange = exchanges
        future.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] result in
            guard case .answering = state, exchange == exchanges else { return }
            switch result {
            case .success(let value): body(value)
            case .failure(let error):
                logger.error("a route failed", metadata: ["error": "\(error)"])
                respond(HTTPResponse(.internalServerError, "internal error"), context)
            }
        }
    }

    /// Answers in a route's stead, and ends the connection.
    func refuse(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        refuse(HTTPResponse(status, text), context)
    }

    func refuse(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
        switch state {
        case .receiving(let head, _):
            let isCrossOrigin = CrossOrigin.isAsked(head.headers)
            state = .answering(
                Exchange(method: head.method, path: "", keepsAlive: false, isCrossOrigin: isCrossOrigin))
        case .answering(let exchange): state = .answering(exchange.last)
        default: state = .answering(Exchange(method: .GET, path: "", keepsAlive: false, isCrossOrigin: false))
        }
        respond(response, context)
    }

    func respond(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
        guard case .answering(let exchange) = state else { return }
        state = .writing(exchange)
        setDeadline(limits.requestTimeout, context)
        logger.debug(
            "answered",
            metadata: [
                "method": "\(exchange.method)", "path": "\(exchange.path.printable(limit: 200))",
                "status": "\(response.status.code)", "remote": remote(context),
            ])
        let head = HTTPResponseHead(
            version: .http1_1, status: response.status, headers: Self.headers(response, exchange))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if exchange.method != .HEAD {
            if let part = response.file { return send(part, context) }
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        finish(context)
    }

    /// All of an answer is written.
    func finish(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { [self] result in
            guard case .writing(let exchange) = state else { return }
            guard case .success = result else { return context.close(promise: nil) }
            if exchange.keepsAlive { resume(context) } else { drain(context) }
        }
    }

    private static func headers(_ response: HTTPResponse, _ exchange: Exchange) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: response.contentType)
        // RFC 9110 section 8.6: not with this status.
        if response.status != .noContent {
            let length = response.file?.length ?? Int64(response.body.readableBytes)
            headers.add(name: "Content-Length", value: "\(length)")
        }
        for (name, value) in response.fields.sorted(by: { $0.key < $1.key }) { headers.add(name: name, value: value) }
        if exchange.isCrossOrigin { CrossOrigin.allow(&headers) }
        if !exchange.keepsAlive { headers.replaceOrAdd(name: "Connection", value: "close") }
        return headers
    }
}

extension HTTPRouter {
    /// The answer to a plain request.
    func respond(to request: HTTPRequest, on eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        switch route(for: request.path) {
        case .plain(let handlers):
            let method = request.method == .HEAD ? .GET : request.method
            let found = handlers.first { $0.method == method } ?? handlers.first { $0.method == nil }
            if let found { return found.handler(request, eventLoop) }
            return eventLoop.makeSucceededFuture(Self.methodNotAllowed(handlers))
        case .webSocket(let plain, _): return plain(request, eventLoop)
        case .events:
            var refusal = HTTPResponse(.methodNotAllowed, "this path is a stream of events: use GET")
            refusal.fields["Allow"] = "GET"
            return eventLoop.makeSucceededFuture(refusal)
        case nil: return eventLoop.makeSucceededFuture(.notFound)
        }
    }
}
