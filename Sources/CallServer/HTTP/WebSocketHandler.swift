import Logging
import NIOCore
import NIOWebSocket
import RTCTransport

/// One WebSocket between its frames and a `SignalReceiver`: messages, pings, the closing handshake, and the bounds on a
/// client that is silent or does not read.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = SignalChannel.Output
    typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// Our close frame is sent, the client's is awaited.
        case closing
        /// Nothing more is sent, and what comes is dropped.
        case over
    }

    private let limits: WebSocketLimits
    private let closeTimeout: TimeAmount
    private let logger: Logger
    private var assembler: WebSocketAssembler
    private var receiver: (any SignalReceiver)?
    private var state = State.open
    private var lastHeard = NIODeadline.now()
    /// Nothing has come since the last ping: only then can silence be the client's.
    private var isPingPending = false
    /// Messages that have gone to the client; pings carry the number.
    private var sentMessages = 0
    private var timer: Scheduled<Void>?
    private var gate: MessageGate
    /// Opens the gate for what waits at it.
    private var turn: Scheduled<Void>?
    private var isReadHeldBack = false
    private var wasSlowedDown = false
    /// What the client has closed with.
    private var closeCode: UInt16?

    init(limits all: HTTPLimits, logger: Logger) {
        let limits = all.webSocket
        self.limits = limits
        closeTimeout = all.closeTimeout
        self.logger = logger
        assembler = WebSocketAssembler(
            maximumBytes: limits.messageBytes, maximumFragments: limits.messageFragments)
        gate = MessageGate(
            rate: limits.rate, burst: limits.burst, capacity: limits.waitingMessages)
    }

    /// From now on `receiver` gets the messages, unless the connection is over already.
    func begin(_ receiver: any SignalReceiver) {
        if case .over = state { return receiver.disconnected(code: closeCode) }
        self.receiver = receiver
    }

    func handlerAdded(context: ChannelHandlerContext) { schedulePing(context) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .over = state { return }
        switch assembler.receive(unwrapInboundIn(data)) {
        case .nothing: break
        case .message(let message):
            if case .open = state { admit(message, context) }
        case .ping(let bytes):
            if case .open = state { send(.pong, bytes, context) }
        case .pong(let bytes): confirm(bytes)
        case .close(let code, _):
            closeCode = code
            if case .open = state { send(.connectionClose, Self.closeBody(code == 1005 ? nil : code), context) }
            finish(context)
        case .violation(let code, let text): violated(code, text, context)
        }
    }

    private func confirm(_ body: ByteBuffer) {
        guard body.readableBytes == 8, let count = body.getInteger(at: body.readerIndex, as: UInt64.self),
            count <= sentMessages
        else { return }
        receiver?.confirmed(Int(count))
    }

    private func admit(_ message: SignalMessage, _ context: ChannelHandlerContext) {
        switch gate.admit(message, now: MonotonicClock.now()) {
        case .pass: receiver?.received(message)
        case .wait: awaitTurn(context)
        case .overflow:
            violated(.policyViolation, "more than \(limits.waitingMessages) messages ahead of their rate", context)
        }
    }

    private func awaitTurn(_ context: ChannelHandlerContext) {
        guard turn == nil else { return }
        if !wasSlowedDown {
            wasSlowedDown = true
            logger.notice(
                "WebSocket client sends faster than it may, slowed down",
                metadata: ["remote": remote(context), "messagesPerSecond": "\(Int(limits.rate))"])
        }
        let wait = gate.delay(now: MonotonicClock.now()).nanoseconds
        // Several at a time, so that a client that waits does not have our timers wait on it.
        let time = TimeAmount.nanoseconds(max(wait, 20_000_000))
        turn = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            turn = nil
            while case .open = state, let message = gate.next(now: MonotonicClock.now()) { receiver?.received(message) }
            guard case .open = state else { return }
            if gate.isHolding { awaitTurn(context) } else { readOn(context) }
        }
    }

    func read(context: ChannelHandlerContext) {
        if gate.isHolding { isReadHeldBack = true } else { context.read() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        lastHeard = .now()
        isPingPending = false
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else { return context.close(promise: nil) }
        switch error {
        case .invalidFrameLength:
            violated(.messageTooLarge, "a frame of more than \(limits.messageBytes) bytes", context)
        default: violated(.protocolError, "\(error)", context)
        }
    }

    private func violated(_ code: WebSocketErrorCode, _ text: String, _ context: ChannelHandlerContext) {
        if case .over = state { return }
        let code = UInt16(webSocketErrorCode: code)
        logger.notice(
            "WebSocket client broke the protocol",
            metadata: ["remote": remote(context), "what": "\(text)", "code": "\(code)"])
        if case .open = state { send(.connectionClose, Self.closeBody(code, text), context) }
        finish(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = state else { return promise?.fail(ChannelError.outputClosed) ?? () }
        switch unwrapOutboundIn(data) {
        case .message(let message):
            sentMessages += 1
            switch message {
            case .binary(let bytes): write(.binary, ByteBuffer(bytes: bytes), context, promise)
            case .text(let text): write(.text, ByteBuffer(string: text), context, promise)
            }
        case .close(let code, let reason):
            write(.connectionClose, Self.closeBody(code, reason), context, promise)
            awaitClose(context)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        dropSlowReader(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        guard case .open = state else { return }
        send(.connectionClose, Self.closeBody(1001, "the server stops"), context)
        awaitClose(context)
    }

    private func send(_ opcode: WebSocketOpcode, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        write(opcode, body, context, nil)
        flush(context: context)
    }

    private func write(
        _ opcode: WebSocketOpcode, _ body: ByteBuffer, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: body)), promise: promise)
    }

    private func dropSlowReader(_ context: ChannelHandlerContext) {
        guard let queued = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes),
            queued > limits.queuedBytes
        else { return }
        logger.notice(
            "WebSocket client does not read, dropped",
            metadata: ["remote": remote(context), "queuedBytes": "\(queued)"])
        end()
        context.close(promise: nil)
    }

    /// Section 5.5.1: a code and up to 123 bytes of reason, or nothing.
    private static func closeBody(_ code: UInt16?, _ reason: String = "") -> ByteBuffer {
        guard let code else { return ByteBuffer() }
        var body = ByteBuffer(integer: code)
        var text = Substring(reason)
        while text.utf8.count > 123 { text.removeLast() }
        body.writeSubstring(text)
        return body
    }

    // MARK: Timer and end

    private func schedulePing(_ context: ChannelHandlerContext) {
        setTimer(limits.pingInterval, context) { [self] in
            // Who is slowed down is not read, and so not heard.
            guard !isPingPending || gate.isHolding || NIODeadline.now() - lastHeard <= limits.silenceLimit else {
                logger.info("WebSocket client is silent, dropped", metadata: ["remote": remote(context)])
                end()
                return context.close(promise: nil)
            }
            isPingPending = true
            send(.ping, ByteBuffer(integer: UInt64(sentMessages)), context)
            if case .open = state { schedulePing(context) }
        }
    }

    /// Our close frame is the last word, and must arrive with what went before it. Closing the socket while something of
    /// the client's is unread would make the kernel reset the connection and throw both away: so what comes is read and
    /// dropped until the client has closed too, or has had its time.
    private func awaitClose(_ context: ChannelHandlerContext) {
        state = .closing
        gate.clear()
        readOn(context)
        setTimer(limits.goodbyeTimeout, context) { [self] in finish(context) }
    }

    /// The closing handshake is done, or void: the client may read what we sent, then the connection goes.
    private func finish(_ context: ChannelHandlerContext) {
        end()
        setTimer(closeTimeout, context) { context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        readOn(context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard isReadHeldBack else { return }
        isReadHeldBack = false
        context.read()
    }

    private func end() {
        state = .over
        timer?.cancel()
        timer = nil
        turn?.cancel()
        turn = nil
        gate.clear()
        let receiver = receiver
        self.receiver = nil
        receiver?.disconnected(code: closeCode)
    }

    private func setTimer(_ time: TimeAmount, _ context: ChannelHandlerContext, _ body: @escaping () -> Void) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time, body)
    }

    private func remote(_ context: ChannelHandlerContext) -> Logger.MetadataValue {
        "\(context.remoteAddress.map(String.init(describing:)) ?? "unknown")"
    }
}
