import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RTCTransport

/// An HTTP/1.1 and WebSocket server: a listening port that serves an `HTTPRouter`.
///
/// ```swift
/// let server = try await HTTPServer.listen(
///     group: group, host: "127.0.0.1", port: 7880, router: router, logger: logger).get()
/// server.port
/// await server.close()
/// ```
final class HTTPServer: Sendable {
    private let listener: any Channel
    private let connections: HTTPConnections
    private let limits: HTTPLimits

    private init(listener: any Channel, connections: HTTPConnections, limits: HTTPLimits) {
        self.listener = listener
        self.connections = connections
        self.limits = limits
    }

    /// Binds and serves. The future fails with `HTTPBindError`.
    ///
    /// - Parameters:
    ///   - group: its loops serve the connections; whoever made it shuts it down, after `close()`.
    ///   - port: 0...65535; 0 lets the system choose.
    ///   - tls: certificate and key, where connections speak TLS.
    static func listen(
        group: any EventLoopGroup, host: String, port: Int, router: HTTPRouter, limits: HTTPLimits = .init(),
        tls: NIOSSLContext? = nil, meter: StallMeter = StallMeter(), logger: Logger
    ) -> EventLoopFuture<HTTPServer> {
        guard (0...65_535).contains(port) else {
            return group.any().makeFailedFuture(HTTPBindError(host: host, port: port, reason: .noSuchPort))
        }
        let connections = HTTPConnections(limits: limits, logger: logger)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let isAdmitted = connections.admit(channel)
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    guard isAdmitted else { return try HTTPOverload.refuse(channel, limits: limits) }
                    try HTTPConnection.install(
                        on: channel, router: router, limits: limits, isSecure: tls != nil, meter: meter,
                        connections: connections,
                        logger: logger)
                }
            }
            .bind(host: host, port: port)
            .map { HTTPServer(listener: $0, connections: connections, limits: limits) }
            .flatMapErrorThrowing { throw HTTPBindError(host: host, port: port, error: $0) }
    }

    /// The bound TCP port.
    var port: Int { listener.localAddress?.port ?? 0 }

    /// Stops listening, closes WebSockets with 1001 and everything else, and waits until all are closed.
    func close() async {
        try? await listener.close()
        await connections.closeAll(within: limits.closeTimeout)
    }
}
