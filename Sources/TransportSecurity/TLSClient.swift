import Glibc
import NIOCore
import NIOSSL
import Synchronization

/// TLS 1.2 and 1.3 of clients, by NIOSSL: what connections share whose servers have to prove the same.
package final class TLSClient: Sendable {
    private struct Key: Hashable {
        let trust: TLSTrust
        let protocols: [String]
    }

    private let context: NIOSSLContext
    private let verifier: CertificateVerifier

    private init(_ key: Key) throws(TLSError) {
        verifier = try CertificateVerifier(key.trust)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = key.protocols
        // Certificates are judged by the verifier: where it were not asked, nothing would be believed.
        configuration.trustRoots = .certificates([])
        configuration.shutdownTimeout = TLSClient.farewell
        do {
            try key.trust.identity?.present(in: &configuration)
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw key.trust.identity == nil ? .library("setting up TLS") : .identity(reason: TLSError.words(error))
        }
    }

    /// How long a connection that is closed waits for the other side to agree.
    static let farewell = TimeAmount.milliseconds(500)
    private static let known = Mutex<[Key: TLSClient]>([:])
    /// Contexts that are kept; a process has few kinds of clients.
    private static let mostKept = 64

    /// One serves all that believe the same and offer the same. Reads files where it is the first. Throws `TLSError`.
    ///
    /// - Parameter protocols: what is offered to be spoken inside (ALPN, RFC 7301).
    package static func shared(_ trust: TLSTrust, protocols: [String] = []) throws(TLSError) -> TLSClient {
        // What is asked makes no difference to how.
        var trust = trust
        trust.policies = []
        let key = Key(trust: trust, protocols: protocols)
        if let client = known.withLock({ $0[key] }) { return client }
        let client = try TLSClient(key)
        known.withLock {
            if $0.count >= mostKept { $0.removeAll() }
            $0[key] = client
        }
        return client
    }

    /// Adds TLS to a channel and gives the end of its handshake, which fails with `TLSError`. Call on its loop.
    ///
    /// - Parameters:
    ///   - host: the name or IP address that the server's certificate must bear.
    ///   - peer: what people call the server.
    package func secure(
        _ channel: any Channel, host: String, peer: String,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws -> EventLoopFuture<Void> {
        let handshake = TLSHandshake(verifier, host: host, peer: peer, on: channel.eventLoop)
        // An address is verified as one, and SNI has no place for it.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        do {
            let tls = try NIOSSLClientHandler(
                context: context, serverHostname: isAddress ? nil : host,
                customVerificationCallback: { handshake.judge($0, $1) })
            try channel.pipeline.syncOperations.addHandlers([tls, handshake], position: position)
        } catch {
            let error = TLSError(error, peer: peer) ?? .failed(peer: peer, reason: TLSError.words(error))
            handshake.fail(error)
            throw error
        }
        return handshake.ready
    }
}
