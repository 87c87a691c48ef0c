import NIOConcurrencyHelpers
import NIOCore

/// The open connections of an `HTTPServer`: their number is bounded, and they can all be closed.
final class HTTPConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    /// Takes note of a connection until it is closed. False where there are too many, or the server is closing.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let isAdmitted = state.withLockedValue { state in
            guard !state.isClosing, state.channels.count < limit else { return false }
            state.channels[key] = channel
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [self] _ in state.withLockedValue { $0.channels[key] = nil } }
        return true
    }

    var count: Int { state.withLockedValue { $0.channels.count } }

    /// Asks all to close, insists after `timeout`, and returns when all are closed.
    func closeAll(within timeout: TimeAmount) async {
        let channels = state.withLockedValue { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            let insist = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in insist.cancel() }
        }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}

/// Tells a client for whom there is no room to come again.
enum HTTPOverload {
    static func refuse(_ channel: any Channel, limits: HTTPLimits) throws {
        try channel.pipeline.syncOperations.addHandler(Refusal(timeout: limits.closeTimeout))
    }

    /// Answers before it reads anything: there is no request to wait for.
    private final class Refusal: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private static let text =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        private let timeout: TimeAmount

        init(timeout: TimeAmount) { self.timeout = timeout }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            let insist = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in insist.cancel() }
            channel.writeAndFlush(ByteBuffer(string: Self.text)).whenComplete { _ in
                channel.close(mode: .output, promise: nil)
            }
        }

        // Bytes left unread would make the kernel reset the connection before the client has read our answer.
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
