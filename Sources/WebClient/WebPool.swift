import AsyncHTTPClient
import NIOCore
import NIOPosix
import Synchronization
import TransportSecurity

/// The connections to one server of those who trust the same, or all connections without TLS: AsyncHTTPClient's, on NIO's own loops.
///
/// AsyncHTTPClient would verify certificates by BoringSSL's rules alone, without pins and without a reason. So TLS is put below its
/// HTTP when a connection has been made, and it gets the connection when the server has proved who it is; it asks for `http` URLs.
final class WebPool: Sendable {
    private struct Key: Hashable {
        let trust: TLSTrust
        let address: WebAddress
    }

    /// As long as there is a pool: hold it until the answer is complete.
    let client: HTTPClient

    private init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    deinit {
        // It lives until its connections are closed.
        let client = client
        client.shutdown { _ in _ = client }
    }

    private static let plain = WebPool(configuration)
    private static let known = Mutex<[Key: WebPool]>([:])
    /// Pools that are kept; a process asks few servers.
    private static let mostKept = 64

    /// Reads files where it is the first of its kind. Throws `TLSError`.
    static func shared(_ trust: TLSTrust, _ address: WebAddress) throws(TLSError) -> WebPool {
        guard address.isSecure else { return plain }
        var trust = trust
        trust.policies = []
        let key = Key(trust: trust, address: address)
        if let pool = known.withLock({ $0[key] }) { return pool }
        let tls = try TLSClient.shared(trust, protocols: ["http/1.1"])
        return known.withLock { known in
            if let pool = known[key] { return pool }
            if known.count >= mostKept { known.removeAll() }
            let pool = WebPool(secured(tls, address))
            known[key] = pool
            return pool
        }
    }

    private static func secured(_ tls: TLSClient, _ address: WebAddress) -> HTTPClient.Configuration {
        var configuration = configuration
        configuration.http1_1ConnectionDebugInitializer = { channel in
            do {
                let ready = try tls.secure(channel, host: address.host, peer: address.authority, position: .first)
                let timer = channel.eventLoop.scheduleTask(in: connecting) { channel.close(promise: nil) }
                ready.whenComplete { _ in timer.cancel() }
                return ready
            } catch {
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
        return configuration
    }

    /// Each hop is judged by a policy first, so none is followed here; who asks has a limit of his own for the time.
    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = connecting
        configuration.connectionPool.retryConnectionEstablishment = false
        // A stream of events has a connection of its own, and a process may have hundreds.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 65_536
        // Servers close idle connections after five seconds or more: a request must not meet one's end.
        configuration.connectionPool.idleTimeout = .seconds(2)
        return configuration
    }

    private static let connecting = TimeAmount.seconds(60)
}
