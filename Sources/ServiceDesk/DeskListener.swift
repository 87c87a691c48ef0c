import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceDeskCore
import TransportSecurity

/// A small HTTP/1.1 server: one request on a connection, read within bounds that its head decides.
package final class DeskListener: Sendable {
    /// Bounds on what one client, or all together, can make it hold or wait for.
    package struct Limits: Sendable {
        /// At a time; a further one is closed.
        package var connections = 256
        /// Bytes of a request's line and fields.
        package var headBytes = 16 * 1024
        /// For a whole request, and for reading the answer.
        package var requestTimeout = TimeAmount.seconds(30)
        /// For the answer to be found.
        package var answerTimeout = TimeAmount.seconds(90)
        /// For the other side to close.
        package var closeTimeout = TimeAmount.seconds(1)

        package init() {}
    }

    /// What is served.
    package struct Service: Sendable {
        /// Bytes that a body may have, by method and path; throws the answer to what has no route.
        package var bodyLimit: @Sendable (String, String) throws(DeskRefusal) -> Int
        package var answer: @Sendable (DeskHTTPRequest) async -> DeskHTTPResponse

        package init(
            bodyLimit: @escaping @Sendable (String, String) throws(DeskRefusal) -> Int,
            answer: @escaping @Sendable (DeskHTTPRequest) async -> DeskHTTPResponse
        ) {
            self.bodyLimit = bodyLimit
            self.answer = answer
        }
    }

    private let listener: any Channel
    private let connections: Connections

    private init(_ listener: any Channel, _ connections: Connections) {
        self.listener = listener
        self.connections = connections
    }

    /// Binds and serves. Throws `portUnavailable`.
    package static func listen(
        host: String, port: Int, limits: Limits = Limits(), _ service: Service
    ) async throws(DeskError) -> DeskListener {
        guard (0...65_535).contains(port) else {
            throw DeskError(.invalidConfiguration, "\(port) is no TCP port: choose one from 0 to 65535")
        }
        let connections = Connections(limit: limits.connections)
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard connections.admit(channel) else { return channel.close(promise: nil) }
                        try DeskConnection.install(on: channel, service, limits)
                    }
                }
                .bind(host: host, port: port).get()
            return DeskListener(channel, connections)
        } catch {
            throw DeskError(
                .portUnavailable,
                "port \(port) of \(host) can't be had: \(SocketFault.words(error)); choose another one")
        }
    }

    package var port: Int { listener.localAddress?.port ?? 0 }

    /// Stops listening and closes what is open.
    package func close() async {
        try? await listener.close()
        await connections.closeAll()
    }

    /// The open ones.
    private final class Connections: Sendable {
        private let limit: Int
        private let open = NIOLockedValueBox<[ObjectIdentifier: any Channel]?>([:])

        init(limit: Int) { self.limit = limit }

        func admit(_ channel: any Channel) -> Bool {
            let key = ObjectIdentifier(channel)
            let isAdmitted = open.withLockedValue { open in
                guard let count = open?.count, count < limit else { return false }
                open?[key] = channel
                return true
            }
            guard isAdmitted else { return false }
            channel.closeFuture.whenComplete { [open] _ in open.withLockedValue { _ = $0?.removeValue(forKey: key) } }
            return true
        }

        func closeAll() async {
            let channels = open.withLockedValue { open in
                defer { open = nil }
                return open.map { Array($0.values) } ?? []
            }
            for channel in channels { try? await channel.close() }
        }
    }
}
