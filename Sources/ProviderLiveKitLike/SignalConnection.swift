import CallBridge
import Glibc
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

    /// Requests the upgrade of `target`. Throws `CallError` where nothing answers.
    static func open(_ target: SignalTarget, token: String) async throws -> Outcome {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
        do {
            let upgrade = try await bootstrap.connect(host: target.host, port: target.port) { channel in
                channel.eventLoop.makeCompletedFuture { try configure(channel, target: target, token: token) }
            }
            let timer = upgrade.eventLoop.scheduleTask(in: .seconds(5)) { upgrade.timeOut() }
            defer { timer.cancel() }
            return try await upgrade.result.get()
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(
                .network, .unreachable,
                "the server \(target.host):\(target.port) can't be reached (\(reason(error))); is it running, and is the URL right?"
            )
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

    /// Closes the WebSocket in order.
    func close() async {
        let channel = self.channel
        let closing = channel.eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            var data = channel.allocator.buffer(capacity: 2)
            data.write(webSocketErrorCode: .normalClosure)
            let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
            return channel.writeAndFlush(frame).flatMap { channel.close() }
        }
        try? await closing.get()
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "its name can't be resolved" }
            return reason(first.error)
        }
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        if case .connectTimeout? = error as? ChannelError { return "no answer within 5 s" }
        return "\(error)"
    }

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
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: "\(target.host):\(target.port)")
        headers.add(name: "Authorization", value: "Bearer \(token)")
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target.path, headers: headers)
        let upgrader = NIOTypedWebSocketClientUpgrader<EventLoopFuture<Outcome>>(maxFrameSize: maximumMessage) {
            channel, _ in
            channel.eventLoop.makeCompletedFuture { channel.eventLoop.makeSucceededFuture(try install(on: channel)) }
        }
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<EventLoopFuture<Outcome>>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
            // The answer is handed on only after this has completed, so what it says is awaited outside.
            let answer = channel.eventLoop.makePromise(of: Outcome.self)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(RefusalReader(promise: answer))
                return answer.futureResult
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
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Collects an HTTP answer that is no upgrade.
private final class RefusalReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    private static let maximumBody = 4096

    private let promise: EventLoopPromise<SignalConnection.Outcome>
    private var status = 0
    private var body = ""

    init(promise: EventLoopPromise<SignalConnection.Outcome>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = Int(head.status.code)
        case .body(let part):
            if body.utf8.count < Self.maximumBody { body += String(buffer: part).prefix(Self.maximumBody) }
        case .end:
            promise.succeed(.refused(status: status, body: body))
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if status != 0 {
            promise.succeed(.refused(status: status, body: body))
        } else {
            promise.fail(CallError(.provider, .protocolViolation, "the server closed the connection without an answer"))
        }
        context.fireChannelInactive()
    }
}
