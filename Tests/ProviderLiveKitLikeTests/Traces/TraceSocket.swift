import LiveKitProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A signalling server without a mind: it tells what comes, and says what it is given.
final class TraceSocket: Sendable {
    enum Arrival: Sendable {
        case opened(ScriptedServer.Request)
        case said(Livekit_SignalRequest)
        case closed
    }

    let arrivals: AsyncStream<Arrival>
    private let listener: any Channel
    private let current: Current

    /// The newest socket.
    private final class Current: Sendable {
        let channel = Mutex<(any Channel)?>(nil)
    }

    private init(listener: any Channel, current: Current, arrivals: AsyncStream<Arrival>) {
        self.listener = listener
        self.current = current
        self.arrivals = arrivals
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    static func start() async throws -> TraceSocket {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Arrival.self)
        let current = Current()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader(
                    maxFrameSize: 2 << 20,
                    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
                    upgradePipelineHandler: { channel, head in
                        current.channel.withLock { $0 = channel }
                        return channel.pipeline.addHandler(Listener(arrived)).map {
                            arrived.yield(.opened(ScriptedServer.Request(head)))
                        }
                    })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TraceSocket(listener: listener, current: current, arrivals: arrivals)
    }

    func send(_ message: Livekit_SignalResponse) async throws {
        let channel = current.channel.withLock { $0 }
        let bytes: [UInt8] = try message.serializedBytes()
        let frame = WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
        try await channel?.writeAndFlush(frame)
    }

    /// Tears the newest socket down without a word.
    func drop() { current.channel.withLock { $0 }?.close(promise: nil) }

    func stop() async {
        drop()
        try? await listener.close()
    }
}

private final class Listener: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let arrived: AsyncStream<TraceSocket.Arrival>.Continuation

    init(_ arrived: AsyncStream<TraceSocket.Arrival>.Continuation) { self.arrived = arrived }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary:
            if let message = try? Livekit_SignalRequest(serializedBytes: Array(frame.unmaskedData.readableBytesView)) {
                arrived.yield(.said(message))
            }
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        arrived.yield(.closed)
        context.fireChannelInactive()
    }
}
