import CallBridge
import Glibc
import NIOCore
import NIOPosix

/// Opens TCP connections to signalling servers.
enum SignalDialer {
    /// Connects and sets the pipeline up. Throws what NIO throws.
    static func connect<Result: Sendable>(
        _ target: SignalTarget, timeout: Double, configure: @escaping @Sendable (any Channel) throws -> Result
    ) async throws -> Result {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(Int64(timeout * 1000)))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
        return try await bootstrap.connect(host: target.host, port: target.port) { channel in
            channel.eventLoop.makeCompletedFuture { try configure(channel) }
        }
    }

    /// What went wrong, in words for people.
    static func reason(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "its name can't be resolved" }
            return reason(first.error)
        }
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        if case .connectTimeout? = error as? ChannelError { return "no answer within 5 s" }
        return "\(error)"
    }
}
