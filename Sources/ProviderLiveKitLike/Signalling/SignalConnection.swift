import CallBridge
import LiveKitProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SwiftProtobuf
import WebClient

/// A signalling WebSocket: binary frames, one protobuf message each.
final class SignalConnection: Sendable {
    /// What the server said to the request for an upgrade.
    enum Outcome: Sendable {
        case connected(SignalConnection)
        /// An HTTP answer that is no upgrade; `body` is at most a few kilobytes.
        case refused(status: Int, body: String)
    }

    /// Messages in order. Finishes when the socket is gone.
    let messages: AsyncStream<Livekit_SignalResponse>
    private let channel: any Channel

    fileprivate init(channel: any Channel, messages: AsyncStream<Livekit_SignalResponse>) {
        self.channel = channel
        self.messages = messages
    }

    /// Requests the upgrade of `target`. Throws `CallError` where nothing answers in time.
    static func open(_ target: SignalTarget, token: String, timeout: Double) async throws -> Outcome {
        guard token.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw CallError(
                .configuration, .invalidArgument,
                "the token has a control character; check how it was read, for a line's end")
        }
        do {
            let upgrade = try await SignalDialer.connect(target, timeout: timeout) { channel in
                try configure(channel, target: target, token: token)
            }
            let timer = upgrade.eventLoop.scheduleTask(in: .milliseconds(Int64(timeout * 1000))) { upgrade.timeOut() }
            defer { timer.cancel() }
            return try await upgrade.result.get()
        } catch let error as CallError {
            throw error
        } catch {
            throw SignalDialer.failure(error, target)
        }
    }

    func send(_ message: Livekit_SignalRequest) {
        guard let bytes: [UInt8] = try? message.serializedBytes() else { return }
        let channel = self.channel
        channel.eventLoop.execute {
            let frame = WebSocketFrame(
                fin: true, opcode: .binary, maskKey: .random(), data: channel.allocator.buffer(bytes: bytes))
            channel.writeAndFlush(frame, promise: nil)
        }
    }

    /// Closes the WebSocket in order; a server that does not take the goodbye within a second is not waited for.
    func close() async {
        let channel = self.channel
        let closing = channel.eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            let timer = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            var data = channel.allocator.buffer(capacity: 2)
            data.write(webSocketErrorCode: .normalClosure)
            let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
            return channel.writeAndFlush(frame).flatMap { channel.close() }.always { _ in timer.cancel() }
        }
        try? await closing.get()
    }

    /// Drops the socket without waiting for anything: the path to the server may be dead.
    func abandon() { channel.close(promise: nil) }

    // MARK: Upgrade

    private struct PendingUpgrade: Sendable {
        let channel: any Channel
        let result: EventLoopFuture<Outcome>
        var eventLoop: any EventLoop { channel.eventLoop }

        func timeOut() { channel.close(promise: nil) }
    }

    private static let maximumMessage = 2 * 1024 * 1024

    private static func configure(_ channel: any Channel, target: SignalTarget, token: String) throws -> PendingUpgrade
    {
        let promise = channel.eventLoop.makePromise(of: WebSocketUpgrade<SignalConnection>.Outcome.self)
        let upgrade = WebSocketUpgrade(
            target: target.path, headers: target.headers(token: token).map { ($0.name, $0.value) }, promise: promise,
            install: install)
        do {
            try channel.pipeline.syncOperations.addHandler(upgrade)
        } catch {
            promise.fail(error)
            throw error
        }
        let result = promise.futureResult.map { outcome -> Outcome in
            switch outcome {
            case .connected(let connection): .connected(connection)
            case .refused(let status, let body): .refused(status: status, body: body)
            }
        }
        return PendingUpgrade(channel: channel, result: result)
    }

    private static func install(on channel: any Channel) throws -> SignalConnection {
        let (stream, continuation) = AsyncStream.makeStream(of: Livekit_SignalResponse.self)
        try channel.pipeline.syncOperations.addHandlers([
            WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: maximumMessage)),
            WebSocketProtocolErrorHandler(isServer: false),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: maximumMessage),
            SignalReader(continuation: continuation),
        ])
        return SignalConnection(channel: channel, messages: stream)
    }
}

/// Decodes binary frames, answers pings, ends at a close.
private final class SignalReader: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let continuation: AsyncStream<Livekit_SignalResponse>.Continuation

    init(continuation: AsyncStream<Livekit_SignalResponse>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary:
            // A message from a newer server that does not decode is left out; the connection goes on.
            if let message = try? Livekit_SignalResponse(serializedBytes: Array(frame.unmaskedData.readableBytesView)) {
                continuation.yield(message)
            }
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            // The closing handshake of RFC 6455 section 5.5.1: the code goes back as it came.
            let echo = WebSocketFrame(
                fin: true, opcode: .connectionClose, maskKey: .random(),
                data: frame.unmaskedData.getSlice(
                    at: frame.unmaskedData.readerIndex, length: min(2, frame.unmaskedData.readableBytes))
                    ?? context.channel.allocator.buffer(capacity: 0))
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(echo)).whenComplete { _ in channel.close(promise: nil) }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
