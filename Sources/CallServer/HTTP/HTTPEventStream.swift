import NIOCore
import NIOHTTP1

/// What a route says to a request for server-sent events.
enum HTTPEventDecision: Sendable {
    /// The stream begins; the closure gets it on the connection's loop.
    case accept(@Sendable (HTTPEventStream) -> Void)
    case refuse(HTTPResponse)
}

/// The server's half of a stream of server-sent events (HTML standard, section 9.2). Any thread may send.
///
///     event: offer
///     data: {"callId":"c",...}
struct HTTPEventStream: Sendable {
    private let channel: any Channel

    fileprivate init(_ channel: any Channel) { self.channel = channel }

    /// Fulfilled when the stream has ended, whoever ended it.
    var closed: EventLoopFuture<Void> { channel.closeFuture }

    /// Sends one event. `data` is one line. A client that reads too slowly is cut off: it comes again and starts afresh.
    func send(event: String, data: String) { write("event: \(event)\ndata: \(data)\n\n") }

    /// Ends the stream.
    func close() { channel.close(promise: nil) }

    /// Keeps proxies from thinking that the connection is dead, and finds out when it is.
    func keepAlive(every interval: TimeAmount) {
        let task = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            write(":\n\n")
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    private func write(_ text: String) {
        guard channel.isWritable else { return channel.close(promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
    }
}

extension HTTPConnection {
    /// Answers with a stream of events, or says why not.
    func stream(_ decision: HTTPEventDecision, _ context: ChannelHandlerContext) {
        switch decision {
        case .refuse(let response): respond(response, context)
        case .accept(let open):
            guard case .answering(let exchange) = state else { return }
            state = .streaming
            cancelDeadline()
            var head = HTTPResponseHead(version: .http1_1, status: .ok)
            head.headers.add(name: "Content-Type", value: "text/event-stream")
            head.headers.add(name: "Cache-Control", value: "no-store")
            head.headers.add(name: "Connection", value: "close")
            if exchange.isCrossOrigin { CrossOrigin.allow(&head.headers) }
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            // So that the end of the connection is noticed.
            context.read()
            open(HTTPEventStream(context.channel))
        }
    }
}
