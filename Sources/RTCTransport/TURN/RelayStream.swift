import NIOCore
import NIOPosix
import RTCCore
import RTCWire
import TransportSecurity

/// The stream to a TURN server, TCP or TLS: STUN messages and ChannelData follow each other on it (RFC 8656 section 3.1).
final class RelayStream: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Larger than any message of ours.
    private static let maximumMessage = 8 * 1024
    private let relay: RelayPath
    private weak var paths: ServerPaths?
    private var waiting = ByteBuffer()

    private init(_ relay: RelayPath, _ paths: ServerPaths) {
        self.relay = relay
        self.paths = paths
    }

    /// Connects, with TLS where the server's URL asks for it, and asks for an allocation when the stream stands.
    static func open(_ relay: RelayPath, in paths: ServerPaths) {
        let loop = paths.mux.eventLoop
        // The socket must outlive the attempt, which may take longer than the call.
        let bound = NIOLoopBound((relay, paths, paths.mux), eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(to: relay.server.address.socketAddress)
            .flatMap { channel in begin(channel, bound) }
            .whenFailure { error in
                let (relay, paths, mux) = bound.value
                guard !paths.isClosed else { return }
                mux.serversActed { now, outbox in
                    relay.client.close(now: now, into: outbox)
                    paths.flow.handler?.relayFailed(relay.server, RelayStreamError(error), on: paths.flow)
                }
            }
    }

    private static func begin(
        _ channel: any Channel, _ bound: NIOLoopBound<(RelayPath, ServerPaths, UDPMux)>
    ) -> EventLoopFuture<Void> {
        let (relay, paths, _) = bound.value
        guard !paths.isClosed else { return channel.close() }
        do {
            let sync = channel.pipeline.syncOperations
            var ready = channel.eventLoop.makeSucceededVoidFuture()
            if relay.server.url.transport == .tls {
                let tls = try TLSHandler(
                    client: .client(relay.server.trust), host: relay.server.url.host,
                    peer: "\(relay.server.url.host):\(relay.server.url.port)",
                    protocols: ["stun.turn"], on: channel.eventLoop)
                try sync.addHandler(tls)
                ready = tls.ready
            }
            try sync.addHandler(RelayStream(relay, paths))
            return ready.map {
                let (relay, paths, mux) = bound.value
                guard !paths.isClosed else { return channel.close(promise: nil) }
                relay.stream = channel
                mux.serversActed { now, outbox in relay.client.start(now: now, into: outbox) }
            }
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        guard let paths else { return context.close(promise: nil) }
        paths.mux.serversActed { now, outbox in
            while let message = nextMessage(context) { take(message, paths, now, outbox) }
        }
        waiting.discardReadBytes()
    }

    private func nextMessage(_ context: ChannelHandlerContext) -> ByteBuffer? {
        do throws(WireError) {
            let head = Array(waiting.readableBytesView.prefix(4))
            let length = try TURNFraming.length(head.span.bytes)
            guard let length, length <= RelayStream.maximumMessage else {
                if length != nil { context.close(promise: nil) }
                return nil
            }
            return waiting.readSlice(length: length)
        } catch {
            context.close(promise: nil)
            return nil
        }
    }

    private func take(_ message: ByteBuffer, _ paths: ServerPaths, _ now: Instant, _ outbox: Outbox) {
        message.withUnsafeReadableBytes { bytes in
            guard let arrival = paths.receive(bytes, over: relay, now: now, into: outbox) else { return }
            paths.mux.deliverRelayed(
                UnsafeRawBufferPointer(rebasing: bytes[arrival.range]), to: paths.flow, arrival, now: now)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        relay.stream = nil
        paths?.mux.serversActed { [relay, paths] now, outbox in
            guard relay.client.streamEnded() else { return }
            paths?.changed(relay, now, outbox)
        }
        context.fireChannelInactive()
    }

    // What ended the stream is told by its end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Why no stream to a TURN server stands.
struct RelayStreamError: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            error is TLSError
            ? "\(error)"
            : "no stream to it comes to stand (\(SocketFault.words(error))); check its address, and that nothing blocks the way"
    }
}
