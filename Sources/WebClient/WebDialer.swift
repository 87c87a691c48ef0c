import AccessPolicy
import NIOCore
import NIOHTTP1
import NIOPosix
import TransportSecurity

/// Opens connections to servers of the web, with TLS where the address asks for it.
package enum WebDialer {
    /// Connects, sets the pipeline up, and returns when the server has proved who it is. Throws what NIO throws, and
    /// `TLSError`.
    ///
    /// - Parameters:
    ///   - timeout: seconds for the connection and, again, for the handshake.
    ///   - protocols: what TLS offers to speak inside (ALPN).
    ///   - configure: adds the handlers that speak inside; called on the channel's loop.
    package static func connect<Result: Sendable>(
        _ address: WebAddress, trust: TLSTrust, timeout: Double, protocols: [String] = ["http/1.1"],
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        configure: @escaping @Sendable (any Channel) throws -> Result
    ) async throws -> Result {
        let limit = TimeAmount.milliseconds(Int64(timeout * 1000))
        let tls = address.isSecure ? try TLSClient.shared(trust, protocols: protocols) : nil
        let bootstrap = ClientBootstrap(group: group)
            .connectTimeout(limit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        let prepare = { @Sendable (channel: any Channel) in
            channel.eventLoop.makeCompletedFuture {
                let ready = try tls?.secure(channel, host: address.host, peer: address.authority)
                return (channel, ready, try configure(channel))
            }
        }
        // An address needs no look-up, which takes a thread of its own.
        let literal = try? SocketAddress(ipAddress: address.host, port: address.port)
        let (channel, ready, result) =
            if let literal {
                try await bootstrap.connect(to: literal, channelInitializer: prepare)
            } else {
                try await bootstrap.connect(host: address.host, port: address.port, channelInitializer: prepare)
            }
        guard let ready else { return result }
        let timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        defer { timer.cancel() }
        try await ready.get()
        return result
    }

    /// What went wrong, in words for people.
    package static func reason(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "its name can't be resolved" }
            return reason(first.error)
        }
        if let refusal = error as? URLRefusal { return "\(refusal)" }
        if error is HTTPParserError { return "what answers does not speak HTTP" }
        if let failure = error as? WebFailure { return "\(failure)" }
        return SocketFault.words(error)
    }
}
