import Logging
import NIOCore
import NIOPosix

/// A port of its own that answers `GET /metrics`: beside the server's, so that whoever collects metrics needs no key of the
/// rooms, and nobody who joins a room sees them.
package final class MetricsEndpoint: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let server: HTTPServer

    private init(group: MultiThreadedEventLoopGroup, server: HTTPServer) {
        self.group = group
        self.server = server
    }

    /// Binds and serves. Throws `CallServerError`.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - contentType: of the text.
    ///   - text: is asked for at each request.
    package static func listen(
        host: String, port: Int, contentType: String, logger: Logger, text: @escaping @Sendable () async -> String
    ) async throws(CallServerError) -> MetricsEndpoint {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var router = HTTPRouter()
        router.any(
            "/metrics",
            later: { request, eventLoop in
                guard request.method == .GET || request.method == .HEAD else {
                    return eventLoop.makeSucceededFuture(HTTPResponse(.methodNotAllowed, "use GET\n"))
                }
                return eventLoop.makeFutureWithTask {
                    HTTPResponse(.ok, contentType: contentType, (await text()).utf8)
                }
            })
        do {
            let server = try await HTTPServer.listen(
                group: group, host: host, port: port, router: router, logger: logger
            ).get()
            return MetricsEndpoint(group: group, server: server)
        } catch {
            try? await group.shutdownGracefully()
            throw .cannotListen("\(error)")
        }
    }

    /// The bound TCP port.
    package var port: Int { server.port }

    package func close() async {
        await server.close()
        try? await group.shutdownGracefully()
    }
}
