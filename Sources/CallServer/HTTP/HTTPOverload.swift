import NIOCore

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
