import NIOCore
import NIOPosix
import Synchronization

/// Stands before a server and counts what passes over TCP.
final class CountingRelay: Sendable {
    /// Bytes to the server, and from it.
    struct Counts: Sendable, Hashable {
        var up = 0
        var down = 0
    }

    private let counted: Counter
    private let listener: any Channel
    private let group: MultiThreadedEventLoopGroup

    fileprivate final class Counter: Sendable {
        let counts = Mutex(Counts())
    }

    private init(_ counted: Counter, _ listener: any Channel, _ group: MultiThreadedEventLoopGroup) {
        self.counted = counted
        self.listener = listener
        self.group = group
    }

    /// Listens on a port of 127.0.0.1. Throws what NIO throws.
    ///
    /// - Parameter server: a port of the same address.
    static func listen(before server: Int) async throws -> CountingRelay {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let counted = Counter()
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { client in
                    let loop = client.eventLoop
                    return ClientBootstrap(group: loop)
                        .channelOption(.autoRead, value: false)
                        .connect(host: "127.0.0.1", port: server)
                        .flatMapThrowing { server in
                            try client.pipeline.syncOperations.addHandler(
                                RelayEnd(to: server) { count in
                                    counted.counts.withLock { $0.up += count }
                                })
                            try server.pipeline.syncOperations.addHandler(
                                RelayEnd(to: client) { count in
                                    counted.counts.withLock { $0.down += count }
                                })
                            client.setOption(.autoRead, value: true).whenFailure { _ in client.close(promise: nil) }
                            server.setOption(.autoRead, value: true).whenFailure { _ in server.close(promise: nil) }
                        }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            return CountingRelay(counted, listener, group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// What has passed so far.
    var counts: Counts { counted.counts.withLock { $0 } }

    func stop() async {
        try? await listener.close()
        try? await group.shutdownGracefully()
    }
}

/// One end: what comes goes out at the other.
private final class RelayEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let count: @Sendable (Int) -> Void

    init(to other: any Channel, count: @escaping @Sendable (Int) -> Void) {
        self.other = other
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        count(bytes.readableBytes)
        other.write(bytes, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { other.flush() }

    /// What came before the end goes out before it.
    func channelInactive(context: ChannelHandlerContext) {
        other.writeAndFlush(ByteBuffer()).whenComplete { [other] _ in other.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
