import AccessPolicy
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization
import TransportSecurity

/// A client's end of a WebSocket (RFC 6455) that carries binary messages.
package final class WebSocketConnection<Message: Sendable>: Sendable {
    /// What the server said to the request for an upgrade.
    package enum Outcome: Sendable {
        case connected(WebSocketConnection)
        /// An HTTP answer that is no upgrade; `body` is at most 16 kilobytes.
        case refused(status: Int, body: String)
    }

    /// Where the server is, and what is asked of it.
    package struct Request: Sendable {
        package var address: WebAddress
        package var trust: TLSTrust
        /// Path and query, percent-encoded.
        package var target: String
        /// Beside those of the upgrade; neither names nor values may have control characters.
        package var headers: [(String, String)]
        /// Seconds until the socket is open.
        package var timeout: Double

        package init(
            _ address: WebAddress, trust: TLSTrust, target: String, headers: [(String, String)], timeout: Double
        ) {
            self.address = address
            self.trust = trust
            self.target = target
            self.headers = headers
            self.timeout = timeout
        }

        /// Throws `URLRefusal` where it is not to be asked.
        fileprivate func check() throws(URLRefusal) {
            try trust.check(
                "\(address.isSecure ? "wss" : "ws")://\(address.authority)\(target)", dialing: address.authority)
        }
    }

    /// Messages in order. Finishes when the socket is gone.
    package let messages: AsyncStream<Message>
    private let channel: any Channel
    private let code: CloseCode

    fileprivate init(channel: any Channel, messages: AsyncStream<Message>, code: CloseCode) {
        self.channel = channel
        self.messages = messages
        self.code = code
    }

    /// Why the server has closed it (RFC 6455 section 7.4), known when `messages` has finished; 1006 where it did not say.
    package var closeCode: Int { code.value }

    /// Requests the upgrade. Throws what NIO throws, and `TLSError`, where nothing answers in time; `URLRefusal` where the
    /// policy does not allow it.
    ///
    /// - Parameters:
    ///   - longest: bytes of a message that are taken; a longer one ends the connection.
    ///   - decode: called on the channel's loop; a message that gives nil is left out.
    package static func open(
        _ request: Request, longest: Int = 2 * 1024 * 1024, decode: @escaping @Sendable ([UInt8]) -> Message?
    ) async throws -> Outcome {
        try request.check()
        let pending = try await WebDialer.connect(request.address, trust: request.trust, timeout: request.timeout) {
            channel in
            // It reads little and seldom, and keeps the memory of its latest readings meanwhile.
            try channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            let promise = channel.eventLoop.makePromise(of: WebSocketUpgrade<WebSocketConnection>.Outcome.self)
            let upgrade = WebSocketUpgrade(
                target: request.target, headers: request.headers, promise: promise,
                install: { try install(on: $0, longest: longest, decode: decode) })
            do {
                try channel.pipeline.syncOperations.addHandler(upgrade)
            } catch {
                promise.fail(error)
                throw error
            }
            return (channel, promise.futureResult)
        }
        let (channel, result) = pending
        let timer = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(request.timeout * 1000))) {
            channel.close(promise: nil)
        }
        defer { timer.cancel() }
        switch try await result.get() {
        case .connected(let connection): return .connected(connection)
        case .refused(let status, let body): return .refused(status: status, body: body)
        }
    }

    package func send(_ bytes: [UInt8]) {
        let channel = self.channel
        channel.eventLoop.execute {
            let frame = WebSocketFrame(
                fin: true, opcode: .binary, maskKey: .random(), data: channel.allocator.buffer(bytes: bytes))
            channel.writeAndFlush(frame, promise: nil)
        }
    }

    /// Closes the WebSocket in order; a server that does not take the goodbye within a second is not waited for.
    package func close(code: Int = 1000) async {
        let channel = self.channel
        let closing = channel.eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            let timer = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            var data = channel.allocator.buffer(capacity: 2)
            data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
            let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
            return channel.writeAndFlush(frame).flatMap { channel.close() }.always { _ in timer.cancel() }
        }
        try? await closing.get()
    }

    /// Drops the socket without waiting for anything: the path to the server may be dead.
    package func abandon() { channel.close(promise: nil) }

    /// The same, where it leads from an address of this machine that is gone; whether it did.
    @discardableResult package func abandon(from address: String) -> Bool {
        guard channel.localAddress?.ipAddress == address else { return false }
        abandon()
        return true
    }

    private static func install(
        on channel: any Channel, longest: Int, decode: @escaping @Sendable ([UInt8]) -> Message?
    ) throws -> WebSocketConnection {
        let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
        let code = CloseCode()
        try channel.pipeline.syncOperations.addHandlers([
            WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: longest)),
            WebSocketProtocolErrorHandler(isServer: false),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: longest),
            WebSocketReader(continuation: continuation, code: code, decode: decode),
        ])
        return WebSocketConnection(channel: channel, messages: stream, code: code)
    }
}

/// Why a WebSocket was closed.
private final class CloseCode: Sendable {
    private let code = Atomic<Int>(1006)

    var value: Int {
        get { code.load(ordering: .acquiring) }
        set { code.store(newValue, ordering: .releasing) }
    }
}

/// Takes binary messages, answers pings, ends at a close.
private final class WebSocketReader<Message: Sendable>: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let continuation: AsyncStream<Message>.Continuation
    private let code: CloseCode
    private let decode: ([UInt8]) -> Message?

    init(continuation: AsyncStream<Message>.Continuation, code: CloseCode, decode: @escaping ([UInt8]) -> Message?) {
        self.continuation = continuation
        self.code = code
        self.decode = decode
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary:
            if let message = decode(Array(frame.unmaskedData.readableBytesView)) { continuation.yield(message) }
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: closed(frame.unmaskedData, context)
        default: break
        }
    }

    /// The closing handshake of RFC 6455 section 5.5.1: the code goes back as it came.
    private func closed(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
        // 1005: closed in order, and no reason given.
        code.value = data.getInteger(at: data.readerIndex, as: UInt16.self).map(Int.init) ?? 1005
        let echo = WebSocketFrame(
            fin: true, opcode: .connectionClose, maskKey: .random(),
            data: data.getSlice(at: data.readerIndex, length: min(2, data.readableBytes))
                ?? context.channel.allocator.buffer(capacity: 0))
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(echo)).whenComplete { _ in channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
