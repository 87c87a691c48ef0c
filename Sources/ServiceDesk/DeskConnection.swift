import NIOCore
import NIOHTTP1
import ServiceDeskCore

/// One connection of a `DeskListener`: reads a request, hands it over, writes the answer, and lets the client read it.
final class DeskConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting
        case receiving(DeskHTTPRequest, limit: Int)
        case answering
        /// Everything is said: what still comes is dropped until the client closes.
        case draining
    }

    private let service: DeskListener.Service
    private let limits: DeskListener.Limits
    private var state = State.waiting
    private var deadline: Scheduled<Void>?
    private var work: Task<Void, Never>?

    private init(_ service: DeskListener.Service, _ limits: DeskListener.Limits) {
        self.service = service
        self.limits = limits
    }

    /// Makes `channel` such a connection. Call on its loop.
    static func install(
        on channel: any Channel, _ service: DeskListener.Service, _ limits: DeskListener.Limits
    ) throws {
        var bounds = NIOHTTPDecoderLimitConfiguration()
        bounds.maxHeaderFieldSize = limits.headBytes
        bounds.maxHeaderListSize = limits.headBytes
        bounds.maxHeaderFieldCount = 100
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)),
            DeskConnection(service, limits),
        ])
    }

    func channelActive(context: ChannelHandlerContext) {
        setDeadline(limits.requestTimeout, context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.waiting, .head(let head)): begin(head, context)
        case (.receiving(var request, let limit), .body(let bytes)):
            guard request.body.count + bytes.readableBytes <= limit else { return refuseBody(limit, context) }
            // Not held twice, or each piece would copy all before it.
            state = .waiting
            request.body.append(contentsOf: bytes.readableBytesView)
            state = .receiving(request, limit: limit)
        case (.receiving(let request, _), .end): answer(request, context)
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = DeskHTTPRequest(
            head.method.rawValue, parts.first.map(String.init) ?? "/", query: parts.count > 1 ? String(parts[1]) : "",
            contentType: head.headers.first(name: "content-type") ?? "",
            signature: head.headers.first(name: DeskWebhook.signatureField))
        let limit: Int
        do throws(DeskRefusal) { limit = try service.bodyLimit(request.method, request.path) } catch {
            return respond(DeskHTTPResponse(error), context)
        }
        if let length = head.headers.first(name: "content-length"), (Int(length) ?? .max) > limit {
            return refuseBody(limit, context)
        }
        state = .receiving(request, limit: limit)
        guard head.version == .http1_1, head.headers[canonicalForm: "expect"].contains("100-continue") else { return }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    private func refuseBody(_ limit: Int, _ context: ChannelHandlerContext) {
        respond(DeskHTTPResponse(DeskRefusal(413, "a body has at most \(limit) bytes here")), context)
    }

    private func answer(_ request: DeskHTTPRequest, _ context: ChannelHandlerContext) {
        state = .answering
        setDeadline(limits.answerTimeout, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        work = Task { [service] in
            let response = await service.answer(request)
            eventLoop.execute {
                let (connection, context) = bound.value
                guard case .answering = connection.state else { return }
                connection.respond(response, context)
            }
        }
    }

    private func respond(_ response: DeskHTTPResponse, _ context: ChannelHandlerContext) {
        state = .draining
        setDeadline(limits.requestTimeout, context)
        var headers = HTTPHeaders([("Connection", "close"), ("Content-Type", response.contentType)])
        headers.add(name: "Content-Length", value: "\(response.body.count)")
        if let seconds = response.retryAfter { headers.add(name: "Retry-After", value: "\(seconds)") }
        if let allow = response.allow { headers.add(name: "Allow", value: allow) }
        // What users have sent is shown to nobody as a page.
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { [self] result in
            guard case .success = result else { return context.close(promise: nil) }
            // An outright close could destroy the answer on its way.
            setDeadline(limits.closeTimeout, context)
            context.close(mode: .output, promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.close(promise: nil) }
        switch state {
        case .waiting, .receiving: respond(DeskHTTPResponse(DeskRefusal(400, "this is no HTTP request")), context)
        case .answering, .draining: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        work?.cancel()
        state = .draining
        context.fireChannelInactive()
    }

    /// Each stage has one deadline; setting it ends the one before.
    private func setDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in expired(context) }
    }

    private func expired(_ context: ChannelHandlerContext) {
        switch state {
        case .receiving: respond(DeskHTTPResponse(DeskRefusal(408, "the request took too long")), context)
        case .answering:
            work?.cancel()
            respond(DeskHTTPResponse(DeskRefusal(503, "the answer takes too long")), context)
        case .waiting, .draining: context.close(promise: nil)
        }
    }
}
