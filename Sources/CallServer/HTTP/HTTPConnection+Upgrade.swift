import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket

extension HTTPConnection {
    /// Checks a WebSocket handshake (RFC 6455 section 4.2), lets the route decide, and upgrades or answers.
    func upgrade(
        _ request: HTTPRequest, _ head: HTTPRequestHead, _ decide: HTTPRouter.LateDecision,
        _ context: ChannelHandlerContext
    ) {
        if let fault = WebSocketHandshake.fault(in: head) { return respond(fault, context) }
        let eventLoop = context.eventLoop
        let headers = WebSocketHandshake.acceptance(of: head, channel: context.channel)
        whenAnswered(decide(request, eventLoop).and(headers), context) { [self] decision, headers in
            switch decision {
            case .accept(let makeReceiver): becomeWebSocket(headers, makeReceiver, context)
            case .refuse(let response): respond(response, context)
            }
        }
    }

    private func becomeWebSocket(
        _ headers: HTTPHeaders, _ makeReceiver: @Sendable (SignalChannel) -> any SignalReceiver,
        _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive else { return context.close(promise: nil) }
        state = .upgraded
        cancelDeadline()
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        let webSocket = WebSocketHandler(limits: limits, logger: logger)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandlers([
                WebSocketFrameEncoder(),
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limits.webSocket.messageBytes)),
                webSocket,
            ])
        } catch {
            return context.close(promise: nil)
        }
        let channel = context.channel
        pipeline.removeHandler(codec.encoder, promise: nil)
        pipeline.removeHandler(context: context, promise: nil)
        // The last to go: it passes on what the client has sent behind the handshake.
        pipeline.removeHandler(codec.decoder, promise: nil)
        webSocket.begin(makeReceiver(SignalChannel(channel: channel)))
        // Reading was held back while the request was being answered.
        channel.read()
    }
}

/// The server's part of the opening handshake.
enum WebSocketHandshake {
    /// What is wrong with a handshake, as the answer to it.
    static func fault(in head: HTTPRequestHead) -> HTTPResponse? {
        guard head.version == .http1_1 else { return HTTPResponse(.badRequest, "WebSocket needs HTTP/1.1") }
        guard head.headers["sec-websocket-version"] == ["13"] else {
            var response = HTTPResponse(.upgradeRequired, "WebSocket version 13 is spoken here")
            response.fields["Sec-WebSocket-Version"] = "13"
            return response
        }
        let keys = head.headers["sec-websocket-key"]
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            return HTTPResponse(.badRequest, "Sec-WebSocket-Key must be base64 of 16 bytes")
        }
        return nil
    }

    /// The header fields that accept a handshake without fault.
    static func acceptance(of head: HTTPRequestHead, channel: any Channel) -> EventLoopFuture<HTTPHeaders> {
        NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        ).buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:])
    }
}
