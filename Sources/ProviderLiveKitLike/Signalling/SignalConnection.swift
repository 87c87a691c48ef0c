import CallBridge
import LiveKitProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SwiftProtobuf

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
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: target.path, headers: target.headers(token: token))
        let upgrader = NIOTypedWebSocketClientUpgrader<EventLoopFuture<Outcome>>(maxFrameSize: maximumMessage) {
            channel, _ in
            channel.eventLoop.makeCompletedFuture { channel.eventLoop.makeSucceededFuture(try install(on: channel)) }
        }
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<EventLoopFuture<Outcome>>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
            // The answer is handed on only after this has completed, so what it says is awaited outside.
            let answer = channel.eventLoop.makePromise(of: HTTPQuestion.Answer.self)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AnswerReader(promise: answer))
                return answer.futureResult.map { .refused(status: $0.status, body: $0.body) }
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
        // The server's first message often comes in the same segment as its answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        let result = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
        return PendingUpgrade(channel: channel, result: result.flatMap { $0 })
    }

    private static func install(on channel: any Channel) throws -> Outcome {
        let (stream, continuation) = AsyncStream.makeStream(of: Livekit_SignalResponse.self)
        let sync = channel.pipeline.syncOperations
        try sync.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: maximumMessage))
        try sync.addHandler(SignalReader(continuation: continuation))
        // A socket that closed during the upgrade tells no handler any more; what it still brought is on its way to them.
        channel.closeFuture.whenComplete { _ in
            channel.eventLoop.scheduleTask(in: .milliseconds(250)) { continuation.finish() }
        }
        return .connected(SignalConnection(channel: channel, messages: stream))
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

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
