import LiveKitProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SwiftProtobuf
import Synchronization

/// A signalling server whose every word a test speaks.
final class ScriptedServer: Sendable {
    /// What a request gets.
    enum Answer: Sendable {
        case status(Int, String)
        /// An open socket, on which this is said at once; with a nil the server closes it at the client's first word.
        case socket([Livekit_SignalResponse?])
    }

    /// One request, as the client made it.
    struct Request: Sendable, Hashable {
        var path: String
        var query: [String: String]
        var token: String
    }

    private let listener: any Channel
    private let seen = Mutex<[Request]>([])
    /// What was said on any socket, in order.
    let messages: AsyncStream<Livekit_SignalRequest>

    private init(listener: any Channel, messages: AsyncStream<Livekit_SignalRequest>) {
        self.listener = listener
        self.messages = messages
    }

    var port: Int { listener.localAddress?.port ?? 0 }
    var requests: [Request] { seen.withLock { $0 } }
    var paths: [String] { requests.map(\.path) }

    private final class Later: Sendable {
        let server = Mutex<ScriptedServer?>(nil)
    }

    /// - Parameter answer: what the `n`th request (from 0) gets.
    static func start(_ answer: @escaping @Sendable (Request, Int) -> Answer) async throws -> ScriptedServer {
        let later = Later()
        let (messages, said) = AsyncStream.makeStream(of: Livekit_SignalRequest.self)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = Mutex(0)
                let chosen = Mutex<Answer>(.status(500, ""))
                let upgrader = NIOWebSocketServerUpgrader(
                    shouldUpgrade: { channel, head in
                        let request = Request(head)
                        let index = later.server.withLock { $0?.note(request) ?? 0 }
                        number.withLock { $0 = index }
                        let reply = answer(request, index)
                        chosen.withLock { $0 = reply }
                        if case .socket = reply { return channel.eventLoop.makeSucceededFuture(HTTPHeaders()) }
                        return channel.eventLoop.makeSucceededFuture(nil)
                    },
                    upgradePipelineHandler: { channel, _ in
                        guard case .socket(let script) = chosen.withLock({ $0 }) else { return channel.close() }
                        return channel.pipeline.addHandler(Speaker(script: script, said: said))
                    })
                let plain = PlainAnswer { head in
                    // A refused upgrade has been decided above.
                    if head.headers.contains(name: "Upgrade") { return chosen.withLock { $0 } }
                    let request = Request(head)
                    return answer(request, later.server.withLock { $0?.note(request) ?? 0 })
                }
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (
                        upgraders: [upgrader],
                        completionHandler: { context in
                            context.pipeline.syncOperations.removeHandler(plain, promise: nil)
                        }
                    )
                ).flatMap { channel.pipeline.addHandler(plain) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = ScriptedServer(listener: listener, messages: messages)
        later.server.withLock { $0 = server }
        return server
    }

    private func note(_ request: Request) -> Int {
        seen.withLock { seen in
            seen.append(request)
            return seen.count - 1
        }
    }

    func stop() async { try? await listener.close() }

    /// A join response of somebody in an empty room.
    static func join(_ change: (inout Livekit_JoinResponse) -> Void = { _ in }) -> Livekit_SignalResponse {
        var join = Livekit_JoinResponse()
        join.room.name = "room"
        join.participant.sid = "PA_me"
        join.participant.identity = "me"
        join.pingInterval = 5
        join.pingTimeout = 15
        change(&join)
        return .with { $0.join = join }
    }
}

extension ScriptedServer.Request {
    init(_ head: HTTPRequestHead) {
        let halves = head.uri.split(separator: "?", maxSplits: 1)
        path = String(halves.first ?? "")
        query = [:]
        for pair in (halves.count == 2 ? halves[1] : "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            query[String(parts[0])] = parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : ""
        }
        token = String((head.headers.first(name: "Authorization") ?? "").trimmingPrefix("Bearer "))
    }
}

private final class PlainAnswer: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let decide: @Sendable (HTTPRequestHead) -> ScriptedServer.Answer

    init(_ decide: @escaping @Sendable (HTTPRequestHead) -> ScriptedServer.Answer) { self.decide = decide }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        guard case .status(let status, let body) = decide(head) else { return context.close(promise: nil) }
        let answer = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: status), headers: ["Content-Length": "\(body.utf8.count)"])
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

private final class Speaker: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let script: [Livekit_SignalResponse?]
    private let said: AsyncStream<Livekit_SignalRequest>.Continuation

    init(script: [Livekit_SignalResponse?], said: AsyncStream<Livekit_SignalRequest>.Continuation) {
        self.script = script
        self.said = said
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if case .some(.none) = script.first { return context.close(promise: nil) }
        for message in script {
            // After having spoken it closes only when the client has said something, too.
            guard let bytes: [UInt8] = try? message?.serializedBytes() else { return }
            let frame = WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .binary:
            if let message = try? Livekit_SignalRequest(serializedBytes: Array(frame.unmaskedData.readableBytesView)) {
                said.yield(message)
            }
            if script.contains(nil) { context.close(promise: nil) }
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }
}
