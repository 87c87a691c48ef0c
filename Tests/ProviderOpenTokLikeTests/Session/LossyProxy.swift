import NIOCore
import NIOPosix
import Synchronization

/// Passes bytes on between clients and a server, until it loses all its connections and refuses new ones.
final class LossyProxy: Sendable {
    private struct State {
        var isLost = false
        var clients: [any Channel] = []
        var refusals = 0
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    let port: Int
    private let listener: any Channel
    private let line: Line

    /// What connections share.
    private final class Line: Sendable {
        let state = Mutex(State())

        /// False where the connection is refused.
        func admit(_ client: any Channel) -> Bool {
            let (isAdmitted, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                guard state.isLost else {
                    state.clients.append(client)
                    return (true, nil)
                }
                state.refusals += 1
                guard let waiter = state.waiter, state.refusals >= waiter.count else { return (false, nil) }
                state.waiter = nil
                return (false, waiter.continuation)
            }
            waiter?.resume()
            return isAdmitted
        }
    }

    /// Hands bytes to the other side's channel, on the loop that both live on.
    private final class Glue: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    init(to target: Int) async throws {
        let line = Line()
        self.line = line
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                guard line.admit(client) else { return client.close() }
                return ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Glue(to: server))
                        try server.pipeline.syncOperations.addHandler(Glue(to: client))
                    }
            }.bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Closes every connection, and takes no other until `restore`.
    func lose() {
        let clients = line.state.withLock { state in
            state.isLost = true
            defer { state.clients = [] }
            return state.clients
        }
        for client in clients { client.close(promise: nil) }
    }

    func restore() { line.state.withLock { $0.isLost = false } }

    /// Returns when so many connections have been refused.
    func untilRefused(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = line.state.withLock { state in
                if state.refusals < count { state.waiter = (count, continuation) }
                return state.refusals >= count
            }
            if isOver { continuation.resume() }
        }
    }

    func close() async {
        lose()
        try? await listener.close().get()
    }
}
