import NIOCore
import NIOSSL
import NIOTLS

/// Behind NIOSSL's handler in a client's channel: has the server's certificates judged, tells when the handshake is over, and says what
/// went wrong in words for people.
final class TLSHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Succeeds when the other side is who it claims to be; fails with `TLSError`.
    var ready: EventLoopFuture<Void> { readiness.futureResult }
    private let verifier: CertificateVerifier
    private let host: String
    private let peer: String
    private let readiness: EventLoopPromise<Void>
    /// Why the certificates were refused.
    private var refusal: TLSError?

    /// - Parameters:
    ///   - host: the name or IP address that the server's certificate must bear.
    ///   - peer: what people call the server.
    init(_ verifier: CertificateVerifier, host: String, peer: String, on eventLoop: any EventLoop) {
        self.verifier = verifier
        self.host = host
        self.peer = peer
        readiness = eventLoop.makePromise()
    }

    /// Judges what the server sent. NIOSSL asks when that has come: before a client's own certificate goes out.
    func judge(_ chain: [NIOSSLCertificate], _ verdict: EventLoopPromise<NIOSSLVerificationResult>) {
        do {
            refusal = verifier.judge(try chain.map { try $0.toDERBytes() }, host: host, peer: peer)
        } catch {
            refusal = .untrusted(peer: peer, reason: "it can't be read")
        }
        verdict.succeed(refusal == nil ? .certificateVerified : .failed)
    }

    func fail(_ error: TLSError) { readiness.fail(error) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { readiness.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = refusal ?? TLSError(error, peer: peer)
        readiness.fail(words ?? .closed(peer: peer))
        context.fireErrorCaught(words ?? error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        readiness.fail(TLSError.closed(peer: peer))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { readiness.fail(TLSError.closed(peer: peer)) }
}
