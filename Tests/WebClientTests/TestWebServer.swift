import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import TransportSecurity

/// An HTTP server on loopback that counts who comes and what is asked.
final class TestWebServer: Sendable {
    let connections = Atomic<Int>(0)
    let requests = Mutex<[String]>([])
    private let listener = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - tls: nil for plain HTTP.
    ///   - redirection: where it sends whoever asks for /elsewhere.
    init(_ tls: NIOSSLContext?, redirection: String = "") async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [self] channel in
                connections.wrappingAdd(1, ordering: .relaxed)
                return channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    if let tls { try sync.addHandler(NIOSSLServerHandler(context: tls)) }
                    try sync.configureHTTPServerPipeline()
                    try sync.addHandler(Answerer(self, redirection))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        listener.withLock { $0 = channel }
    }

    var port: Int { listener.withLock { $0?.localAddress?.port ?? 0 } }
    var count: Int { connections.load(ordering: .relaxed) }
    func stop() async throws { try await listener.withLock { $0 }?.close() }

    /// Certificate and key of an authority, and whether clients have to show a certificate of it.
    static func context(
        _ authority: TestAuthority, _ name: String = "server", key: String? = nil, demands: Bool = false
    ) throws -> NIOSSLContext {
        var configuration = try TLSServer.configuration(
            certificateFile: authority.path("\(name)-chain.pem"), keyFile: authority.path("\(key ?? name).key"))
        if demands {
            configuration.trustRoots = .file(authority.path("root.pem"))
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let server: TestWebServer
        private let redirection: String
        private var target = ""

        init(_ server: TestWebServer, _ redirection: String) {
            self.server = server
            self.redirection = redirection
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): target = head.uri
            case .body: break
            case .end:
                server.requests.withLock { $0.append(target) }
                let moves = target == "/elsewhere"
                var head = HTTPResponseHead(version: .http1_1, status: moves ? .found : .ok)
                head.headers.add(name: "Content-Length", value: "2")
                if moves { head.headers.add(name: "Location", value: redirection) }
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "OK")))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
