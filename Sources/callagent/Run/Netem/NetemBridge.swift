import NIOCore
import NIOHTTP1
import NIOWebSocket
import WebClient

/// One end of a WebSocket that goes on at another: whole messages pass, changed on their way; pings, pongs and goodbyes as they
/// are. What comes before the other end is there waits for it.
// Touched on its channel's loop only, which is that of the other end, too.
final class NetemBridge: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Longest message, in bytes.
    static let longest = 2 * 1024 * 1024

    /// Whether this end is the server's, to which frames go masked.
    private let isServer: Bool
    private let change: ([UInt8]) -> [UInt8]?
    private var channel: (any Channel)?
    private weak var peer: NetemBridge?
    private var waiting: [WebSocketFrame] = []
    private var isOver = false

    /// - Parameter change: what becomes of a binary message that this end has received; nil leaves it out.
    init(isServer: Bool, change: @escaping ([UInt8]) -> [UInt8]?) {
        self.isServer = isServer
        self.change = change
    }

    /// Puts both ends together; from now on messages pass.
    static func join(_ one: NetemBridge, _ other: NetemBridge) {
        (one.peer, other.peer) = (other, one)
        for (from, to) in [(one, other), (other, one)] {
            for frame in from.waiting { to.send(frame) }
            from.waiting = []
            if from.isOver { to.end() }
        }
    }

    /// Handlers for a channel that speaks frames already.
    static func aggregator() -> NIOWebSocketFrameAggregator {
        NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: longest)
    }

    func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

    func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var frame = unwrapInboundIn(data)
        let bytes = Array(frame.unmaskedData.readableBytesView)
        switch frame.opcode {
        case .binary:
            guard let changed = change(bytes) else { return }
            frame = WebSocketFrame(fin: true, opcode: .binary, data: context.channel.allocator.buffer(bytes: changed))
        default:
            frame = WebSocketFrame(
                fin: true, opcode: frame.opcode, data: context.channel.allocator.buffer(bytes: bytes))
        }
        if let peer { peer.send(frame) } else { waiting.append(frame) }
    }

    private func send(_ frame: WebSocketFrame) {
        guard let channel else { return }
        var frame = frame
        if isServer { frame.maskKey = .random() }
        let isGoodbye = frame.opcode == .connectionClose
        let sent = channel.writeAndFlush(frame)
        if isGoodbye { sent.whenComplete { _ in channel.close(promise: nil) } }
    }

    private func end() { channel?.close(promise: nil) }

    /// Who does not read, is not read from.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        peer?.channel?.setOption(ChannelOptions.autoRead, value: context.channel.isWritable).whenFailure { _ in }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        peer?.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension NetemBridge {
    /// What the server said to a request for a WebSocket.
    typealias Outcome = WebSocketUpgrade<NetemBridge>.Outcome

    /// Asks the server for a WebSocket on a channel that is being set up.
    static func request(
        _ target: String, _ headers: [(String, String)], on channel: any Channel,
        change: @escaping ([UInt8]) -> [UInt8]?
    ) throws -> EventLoopFuture<Outcome> {
        let promise = channel.eventLoop.makePromise(of: Outcome.self)
        let upgrade = WebSocketUpgrade(target: target, headers: headers, promise: promise) { channel in
            let bridge = NetemBridge(isServer: true, change: change)
            try channel.pipeline.syncOperations.addHandlers([
                WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: longest)),
                aggregator(),
                bridge,
            ])
            return bridge
        }
        do { try channel.pipeline.syncOperations.addHandler(upgrade) } catch {
            promise.fail(error)
            throw error
        }
        return promise.futureResult
    }
}
