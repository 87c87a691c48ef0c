import CallBridge
import NIOCore
import NIOHTTP1
import NIOPosix

/// One small HTTP GET: how a refused upgrade is asked about.
enum HTTPQuestion {
    /// What the server said: the status, and at most 16 kilobytes of text.
    struct Answer: Sendable, Hashable {
        var status: Int
        var body: String
    }

    /// nil where no whole answer came in time.
    static func get(_ target: SignalTarget, token: String, timeout: Double) async -> Answer? {
        do {
            let result = try await SignalDialer.connect(target, timeout: timeout) { channel in
                let reader = AnswerReader(promise: channel.eventLoop.makePromise(of: Answer.self))
                do {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(reader)
                } catch {
                    reader.promise.fail(error)
                    throw error
                }
                return (channel, reader.promise.futureResult)
            }
            let (channel, answer) = result
            let timer = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(timeout * 1000))) {
                channel.close(promise: nil)
            }
            defer { timer.cancel() }
            var headers = target.headers(token: token)
            headers.add(name: "Connection", value: "close")
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target.path, headers: headers)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            return try await answer.get()
        } catch {
            return nil
        }
    }
}

/// Collects an HTTP answer.
final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    private static let maximumBody = 16_384

    let promise: EventLoopPromise<HTTPQuestion.Answer>
    private var answer = HTTPQuestion.Answer(status: 0, body: "")

    init(promise: EventLoopPromise<HTTPQuestion.Answer>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer.status = Int(head.status.code)
        case .body(let part):
            let room = Self.maximumBody - answer.body.utf8.count
            if room > 0 {
                answer.body += String(
                    buffer: part.getSlice(at: part.readerIndex, length: min(room, part.readableBytes)) ?? part)
            }
        case .end:
            promise.succeed(answer)
            context.close(promise: nil)
        }
    }

    /// Of a connection that never came about nothing else is heard.
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.alreadyClosed) }

    func channelInactive(context: ChannelHandlerContext) {
        if answer.status != 0 {
            promise.succeed(answer)
        } else {
            promise.fail(CallError(.provider, .protocolViolation, "the server closed the connection without an answer"))
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
