import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import TransportSecurity
import WebClient

/// Where a carrier is, and what we show to it.
struct PushCarrierAddress: Sendable {
    var url: URLComponents
    /// A file with the bearer token, which something else keeps up to date: it is read for each request. Nil for none.
    var tokenFile: String?
    var trust: TLSTrust
    /// Seconds for an answer.
    var timeout = 10.0

    /// Nil for what is no `http` or `https` URL.
    init?(_ text: String, tokenFile: String?, trust: TLSTrust) {
        guard let url = URLComponents(string: text), (try? WebAddress(url)) != nil,
            ["http", "https"].contains(url.scheme?.lowercased() ?? ""), url.user == nil, url.fragment == nil
        else { return nil }
        self.url = url
        self.tokenFile = tokenFile
        self.trust = trust
    }

    /// The `Authorization` field. Throws where the file can't be read or holds no token.
    func authorization() throws -> String? {
        guard let tokenFile else { return nil }
        let text = String(decoding: FileManager.default.contents(atPath: tokenFile) ?? Data(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...16_384).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PushFault("the token file \(tokenFile) holds no token")
        }
        return "Bearer \(text)"
    }
}

struct PushFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A carrier that speaks HTTP/1.1, as FCM.
struct HTTP1Post: PushPost {
    let address: PushCarrierAddress

    func send(_ request: PushRequest) async -> PushAnswer {
        do {
            var url = address.url
            url.percentEncodedPath += request.path
            var web = WebRequest(.post, url, trust: address.trust)
            web.headers = request.fields.map { (name: $0.name, value: $0.value) }
            web.headers.append((name: "Content-Type", value: "application/json"))
            if let value = try address.authorization() { web.headers.append((name: "Authorization", value: value)) }
            web.body = request.body
            web.timeout = address.timeout
            let stream = try await WebClient.open(web)
            var body: [UInt8] = []
            for try await bytes in stream.body {
                guard body.count + bytes.count <= 64 * 1024 else { break }
                body += bytes
            }
            return PushAnswer(status: stream.status, body: body, retryAfter: stream.headers.first(name: "retry-after"))
        } catch {
            return .none("\(error)")
        }
    }

    func close() async {}
}

/// A carrier that speaks HTTP/2 (RFC 9113), as APNs: one connection for all requests, which is opened when it is needed. Over
/// `http` it is spoken with prior knowledge.
// Everything that changes is touched on `eventLoop` only.
final class HTTP2Post: PushPost, @unchecked Sendable {
    private struct Connection: Sendable {
        let channel: any Channel
        let streams: NIOHTTP2Handler.StreamMultiplexer
    }

    private let address: PushCarrierAddress
    private let web: WebAddress
    private let eventLoop: any EventLoop
    private var connection: EventLoopFuture<Connection>?

    /// Throws where the address is none.
    init(_ address: PushCarrierAddress, on eventLoop: any EventLoop) throws {
        self.address = address
        self.eventLoop = eventLoop
        web = try WebAddress(address.url)
    }

    func send(_ request: PushRequest) async -> PushAnswer {
        do {
            let head = try head(request)
            return try await eventLoop.flatSubmit { [self] in
                connected().flatMap { [self] in exchange(head, request.body, on: $0) }
            }.get()
        } catch {
            return .none((error as? PushFault)?.description ?? WebDialer.reason(error))
        }
    }

    func close() async {
        let closing = eventLoop.flatSubmit { [self] () -> EventLoopFuture<Void> in
            guard let connection else { return eventLoop.makeSucceededVoidFuture() }
            return connection.flatMap { $0.channel.close() }
        }
        try? await closing.get()
    }

    private func head(_ request: PushRequest) throws -> HTTPRequestHead {
        var headers = HTTPHeaders([("host", web.authority), ("content-type", "application/json")])
        for field in request.fields { headers.add(name: field.name, value: field.value) }
        if let value = try address.authorization() { headers.add(name: "authorization", value: value) }
        headers.add(name: "content-length", value: "\(request.body.count)")
        let path = address.url.percentEncodedPath
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        return HTTPRequestHead(version: .http2, method: .POST, uri: base + request.path, headers: headers)
    }

    // MARK: The connection

    private func connected() -> EventLoopFuture<Connection> {
        if let connection { return connection }
        let (web, trust, timeout, eventLoop) = (web, address.trust, address.timeout, eventLoop)
        let opening = eventLoop.makeFutureWithTask { () async throws -> Connection in
            try await WebDialer.connect(web, trust: trust, timeout: timeout, protocols: ["h2"], on: eventLoop) {
                channel in
                let streams = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    // Nobody asked it to push.
                    stream.close()
                }
                return Connection(channel: channel, streams: streams)
            }
        }
        connection = opening
        opening.whenComplete { [self] result in
            switch result {
            case .success(let opened): opened.channel.closeFuture.whenComplete { [self] _ in forget(opening) }
            case .failure: forget(opening)
            }
        }
        return opening
    }

    private func forget(_ gone: EventLoopFuture<Connection>) {
        if connection === gone { connection = nil }
    }

    private func exchange(
        _ head: HTTPRequestHead, _ body: [UInt8], on connection: Connection
    ) -> EventLoopFuture<PushAnswer> {
        let answer = eventLoop.makePromise(of: PushAnswer.self)
        let opened = eventLoop.makePromise(of: (any Channel).self)
        let isSecure = web.isSecure
        let timeout = TimeAmount.milliseconds(Int64(address.timeout * 1_000))
        connection.streams.createStreamChannel(promise: opened) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers([
                    HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: isSecure ? .https : .http),
                    HTTP2PostHandler(head: head, body: body, timeout: timeout, promise: answer),
                ])
            }
        }
        opened.futureResult.whenFailure { error in
            answer.fail(error)
            // It takes no requests any more (GOAWAY): the next one opens another.
            connection.channel.close(promise: nil)
        }
        return answer.futureResult
    }
}

/// One request on one stream; settles its promise exactly once.
private final class HTTP2PostHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let body: [UInt8]
    private let timeout: TimeAmount
    private var promise: EventLoopPromise<PushAnswer>?
    private var answer: PushAnswer?
    private var timer: Scheduled<Void>?

    init(head: HTTPRequestHead, body: [UInt8], timeout: TimeAmount, promise: EventLoopPromise<PushAnswer>) {
        self.head = head
        self.body = body
        self.timeout = timeout
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [self] in
            settle(.failure(PushFault("no answer in time")), context)
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status.code >= 200 else { return }
            answer = PushAnswer(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "retry-after"))
        case .body(let bytes):
            guard let known = answer, known.body.count + bytes.readableBytes <= 64 * 1024 else {
                return settle(.failure(PushFault("the answer is too large")), context)
            }
            answer?.body += Array(bytes.readableBytesView)
        case .end:
            guard let answer else { return settle(.failure(PushFault("the answer has no head")), context) }
            settle(.success(answer), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.failure(PushFault("the stream ended without an answer")), context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        settle(.failure(PushFault("the stream ended without an answer")), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { settle(.failure(error), context) }

    private func settle(_ result: Result<PushAnswer, any Error>, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        self.promise = nil
        timer?.cancel()
        promise.completeWith(result)
        context.close(promise: nil)
    }
}
