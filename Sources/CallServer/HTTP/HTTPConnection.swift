import Logging
import NIOCore
import NIOHTTP1
import RTCTransport

/// One connection's HTTP side: hands whole requests to the router, one at a time, and writes the responses.
///
/// While a request is being answered nothing more is read, so that a client that sends requests without reading the
/// responses holds no more than what one read brought.
final class HTTPConnection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the response to the request at hand depends on.
    struct Exchange {
        var method: HTTPMethod
        var path: String
        var keepsAlive: Bool
        /// A page of another origin asks.
        var isCrossOrigin: Bool
    }

    enum State {
        /// For the head of a request.
        case waiting
        /// The head is read; its route takes so many bytes of body.
        case receiving(HTTPRequestHead, body: Int)
        /// A route has the request.
        case answering(Exchange)
        /// The response is on its way to the socket.
        case writing(Exchange)
        /// Everything has been said: what still comes is dropped until the client closes.
        case draining
        /// The response is a stream of events, which goes on until one side closes.
        case streaming
        /// The connection is a WebSocket now, and this handler about to go.
        case upgraded
    }

    let router: HTTPRouter
    let limits: HTTPLimits
    let logger: Logger
    let codec: HTTPCodec
    /// Over TLS.
    private let isSecure: Bool
    private let meter: StallMeter
    let connections: HTTPConnections?
    var state = State.waiting
    /// Counts the requests: answers to earlier ones are late.
    var exchanges = 0
    private var body = ByteBuffer()
    private var pending = CircularBuffer<HTTPServerRequestPart>(initialCapacity: 0)
    private var isConsuming = false
    private var isReadHeldBack = false
    private var deadline: Scheduled<Void>?

    private init(
        router: HTTPRouter, limits: HTTPLimits, codec: HTTPCodec, isSecure: Bool, meter: StallMeter,
        connections: HTTPConnections?, logger: Logger
    ) {
        self.connections = connections
        self.isSecure = isSecure
        self.meter = meter
        self.router = router
        self.limits = limits
        self.codec = codec
        self.logger = logger
    }

    /// Makes `channel` an HTTP connection. Call on its loop.
    static func install(
        on channel: any Channel, router: HTTPRouter, limits: HTTPLimits, isSecure: Bool = false,
        meter: StallMeter = StallMeter(), connections: HTTPConnections? = nil, logger: Logger
    ) throws {
        let codec = HTTPCodec(limits: limits)
        let connection = HTTPConnection(
            router: router, limits: limits, codec: codec, isSecure: isSecure, meter: meter,
            connections: connections, logger: logger)
        try channel.pipeline.syncOperations.addHandlers([codec.encoder, codec.decoder, connection])
    }

    // MARK: Reading

    func channelActive(context: ChannelHandlerContext) {
        setDeadline(limits.requestTimeout, context)
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        if isBusy { isReadHeldBack = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .draining, .streaming: return
        default: break
        }
        pending.append(unwrapInboundIn(data))
        consume(context)
    }

    /// Takes parts up to the end of the first request that is not answered at once.
    private func consume(_ context: ChannelHandlerContext) {
        guard !isConsuming else { return }
        isConsuming = true
        defer { isConsuming = false }
        while !isBusy, let part = pending.popFirst() { take(part, context) }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.waiting, .head(let head)):
            begin(head, context)
        case (.receiving(_, let limit), .body(var bytes)):
            guard body.readableBytes + bytes.readableBytes <= limit else { return refuseBody(limit, context) }
            body.writeBuffer(&bytes)
        case (.receiving(let head, _), .end):
            var request = HTTPRequest(head)
            swap(&request.body, &body)
            request.isSecure = isSecure
            request.remoteAddress = context.remoteAddress
            request.localAddress = context.localAddress
            meter.measure(.message, "HTTP \(router.name(of: request.path))") { answer(request, head, context) }
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        state = .receiving(head, body: 0)
        body = ByteBuffer()
        setDeadline(limits.requestTimeout, context)
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else {
            return refuse(.badRequest, "one Host field is needed", context)
        }
        guard head.announcesBody else { return }
        // Who may not ask has nothing to send: the body is neither waited for nor kept.
        let request = HTTPRequest(head)
        if let refusal = CrossOrigin.preflight(request) ?? router.refusal(of: request) {
            return refuse(refusal, context)
        }
        let limit = min(router.gate(for: request.path).bytes, limits.bodyBytes)
        if let length = head.headers.first(name: "content-length"), (Int(length) ?? .max) > limit {
            return refuseBody(limit, context)
        }
        state = .receiving(head, body: limit)
        // RFC 9110 section 10.1.1: large bodies wait for our consent.
        if head.version == .http1_1, head.headers[canonicalForm: "expect"].contains("100-continue") {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
    }

    private func refuseBody(_ limit: Int, _ context: ChannelHandlerContext) {
        refuse(.payloadTooLarge, "a body has at most \(limit) bytes here", context)
    }

    private var isBusy: Bool {
        switch state {
        case .waiting, .receiving, .draining, .streaming: false
        case .answering, .writing, .upgraded: true
        }
    }

    /// The response is written: on to the next request.
    func resume(_ context: ChannelHandlerContext) {
        state = .waiting
        connections?.note(context.channel, .idle)
        setDeadline(limits.keepAliveTimeout, context)
        consume(context)
        guard !isBusy, isReadHeldBack else { return }
        isReadHeldBack = false
        context.read()
    }

    /// Sends what was written, and lets the client read it: an outright close could destroy it on its way.
    func drain(_ context: ChannelHandlerContext) {
        state = .draining
        pending.removeAll()
        setDeadline(limits.closeTimeout, context)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    // MARK: Ends

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        logger.debug("malformed request", metadata: ["remote": remote(context), "error": "\(error)"])
        switch state {
        case .waiting, .receiving:
            switch error {
            case .headerOverflow: refuse(.requestHeaderFieldsTooLarge, "the head is too large", context)
            case .invalidVersion: refuse(.httpVersionNotSupported, "HTTP/1.1 is spoken here", context)
            default: refuse(.badRequest, "this is no HTTP request", context)
            }
        case .answering(let exchange): state = .answering(exchange.last)
        case .writing(let exchange): state = .writing(exchange.last)
        case .draining, .streaming, .upgraded: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        switch state {
        case .waiting, .draining, .streaming: context.close(promise: nil)
        case .receiving: refuse(.serviceUnavailable, "the server stops", context)
        case .answering(let exchange): state = .answering(exchange.last)
        case .writing(let exchange): state = .writing(exchange.last)
        case .upgraded: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelDeadline()
        state = .draining
        pending.removeAll()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelDeadline() }

    // MARK: Deadlines

    /// Each stage of an exchange has one deadline; setting it ends the one before.
    func setDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in expired(context) }
    }

    func cancelDeadline() {
        deadline?.cancel()
        deadline = nil
    }

    private func expired(_ context: ChannelHandlerContext) {
        switch state {
        case .waiting where exchanges == 0, .receiving:
            refuse(.requestTimeout, "the request took too long to arrive", context)
        case .answering:
            refuse(.serviceUnavailable, "the answer takes too long", context)
        case .waiting, .writing, .draining:
            context.close(promise: nil)
        case .streaming, .upgraded: break
        }
    }

    func remote(_ context: ChannelHandlerContext) -> Logger.MetadataValue {
        "\(context.remoteAddress.map(String.init(describing:)) ?? "unknown")"
    }
}

extension HTTPRequestHead {
    /// RFC 9112 section 6.3: a request has a body where one of these fields says so.
    fileprivate var announcesBody: Bool {
        if headers.contains(name: "transfer-encoding") { return true }
        return headers.first(name: "content-length").map { Int($0) != 0 } ?? false
    }
}

extension HTTPConnection.Exchange {
    /// The same, with no request after it.
    var last: Self {
        var exchange = self
        exchange.keepsAlive = false
        return exchange
    }
}

/// The handlers that turn bytes into request parts and response parts into bytes.
struct HTTPCodec {
    let encoder = HTTPResponseEncoder()
    let decoder: ByteToMessageHandler<HTTPRequestDecoder>

    init(limits: HTTPLimits) {
        var bounds = NIOHTTPDecoderLimitConfiguration()
        bounds.maxHeaderFieldSize = limits.headBytes
        bounds.maxHeaderListSize = limits.headBytes
        bounds.maxHeaderFieldCount = limits.headerFields
        // A client may send frames right behind its handshake.
        decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: bounds))
    }
}
