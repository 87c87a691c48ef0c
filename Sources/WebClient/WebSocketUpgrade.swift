import Foundation
import NIOCore
import TransportSecurity

/// Asks for a WebSocket (RFC 6455 section 4.1) and hands the channel over when the server has agreed.
///
/// The handlers of the WebSocket are added, and get what came behind the answer, before the channel reads on or tells of
/// its end: nothing that the server says first is lost, however soon it closes the connection.
package final class WebSocketUpgrade<Connection: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// What became of the request.
    package enum Outcome: Sendable {
        case connected(Connection)
        /// An answer that is no upgrade, with at most 16 kilobytes of text.
        case refused(status: Int, body: String)
    }

    private let request: String
    private var answer: UpgradeAnswer
    private let promise: EventLoopPromise<Outcome>
    private let install: (any Channel) throws -> Connection
    private var isRequested = false
    private var isSettled = false

    /// - Parameters:
    ///   - target: path and query, percent-encoded.
    ///   - headers: beside those of the upgrade; neither names nor values may have control characters.
    ///   - promise: fails with `WebFailure`, or with what `install` throws.
    ///   - install: adds the handlers that speak frames; called on the channel's loop.
    package init(
        target: String, headers: [(String, String)], promise: EventLoopPromise<Outcome>,
        install: @escaping (any Channel) throws -> Connection
    ) {
        let key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        let fields =
            headers + [
                ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", key),
            ]
        request = "GET \(target) HTTP/1.1\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        answer = UpgradeAnswer(accept: Self.accept(key: key))
        self.promise = promise
        self.install = install
    }

    /// The answer to a key (RFC 6455 section 4.2.2).
    static func accept(key: String) -> String {
        Data(SHA1Digest.of(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard !isRequested else { return }
        isRequested = true
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: request)), promise: nil)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSettled else { return }
        take(answer.read(unwrapInboundIn(data).readableBytesView), context)
    }

    private func take(_ step: UpgradeAnswer.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .incomplete: break
        case .upgraded(let rest): hand(rest, context)
        case .refused(let status, let body):
            isSettled = true
            promise.succeed(.refused(status: status, body: body))
            context.close(promise: nil)
        case .malformed: fail(WebFailure.notHTTP, context)
        }
    }

    private func hand(_ rest: [UInt8], _ context: ChannelHandlerContext) {
        do {
            let connection = try install(context.channel)
            isSettled = true
            promise.succeed(.connected(connection))
        } catch {
            return fail(error, context)
        }
        if !rest.isEmpty { context.fireChannelRead(wrapInboundOut(context.channel.allocator.buffer(bytes: rest))) }
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        settle(error)
        context.close(promise: nil)
    }

    private func settle(_ error: any Error) {
        guard !isSettled else { return }
        isSettled = true
        promise.fail(error)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if !isSettled {
            if case .refused(let status, let body) = answer.end() {
                isSettled = true
                promise.succeed(.refused(status: status, body: body))
            } else {
                settle(WebFailure.closed)
            }
        }
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { settle(WebFailure.closed) }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isSettled else { return context.fireErrorCaught(error) }
        fail(error, context)
    }
}
