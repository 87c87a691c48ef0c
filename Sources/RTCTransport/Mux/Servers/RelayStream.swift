import NIOCore
import NIOPosix
import RTCCore
import RTCWire
import TransportSecurity

/// The stream to a TURN server, TCP or TLS: STUN messages and ChannelData follow each other on it (RFC 8656 section 3.1).
///
/// It lives on one of NIO's loops and cuts what comes into messages there; those of one reading go to the mux's loop
/// together.
final class RelayStream: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Larger than any message of ours.
    private static let maximumMessage = 8 * 1024
    private let owner: NIOLoopBound<RelayStreamOwner>
    private let loop: any EventLoop
    private var waiting = ByteBuffer()
    private var messages: [ByteBuffer] = []

    private init(_ owner: NIOLoopBound<RelayStreamOwner>, _ loop: any EventLoop) {
        self.owner = owner
        self.loop = loop
    }

    /// Connects, with TLS where the server's URL asks for it, and asks for an allocation when the stream stands. On the
    /// mux's loop.
    static func open(_ relay: RelayPath, in paths: ServerPaths) {
        let (server, loop) = (relay.server, paths.mux.loop)
        let owner = NIOLoopBound(RelayStreamOwner(relay, paths), eventLoop: loop)
        // The socket must outlive the attempt, which may take longer than the call.
        let attempt = NIOLoopBound((paths, paths.mux), eventLoop: loop)
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(to: server.address.socketAddress)
            .flatMap { channel in prepare(channel, server, owner, loop).map { channel } }
            .hop(to: loop)
            .whenComplete { result in
                let (paths, mux) = attempt.value
                switch result {
                case .success(let channel): owner.value.stands(channel, paths, mux)
                case .failure(let error): owner.value.failed(error, paths, mux)
                }
            }
    }

    /// On the channel's loop.
    private static func prepare(
        _ channel: any Channel, _ server: ICEServerAddress, _ owner: NIOLoopBound<RelayStreamOwner>,
        _ loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        do {
            let sync = channel.pipeline.syncOperations
            var ready = channel.eventLoop.makeSucceededVoidFuture()
            if server.url.transport == .tls {
                ready = try TLSClient.shared(server.trust, protocols: ["stun.turn"])
                    .secure(channel, host: server.url.host, peer: "\(server.url.host):\(server.url.port)")
            }
            try sync.addHandler(RelayStream(owner, loop))
            return ready
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        while let message = nextMessage(context) { messages.append(message) }
        waiting.discardReadBytes()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !messages.isEmpty else { return }
        let (owner, messages) = (owner, messages)
        self.messages = []
        loop.execute { owner.value.take(messages) }
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

    func channelInactive(context: ChannelHandlerContext) {
        let owner = owner
        loop.execute { owner.value.ended() }
        context.fireChannelInactive()
    }

    // What ended the stream is told by its end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The stream as the mux's loop sees it.
// Every member is touched on the mux's loop only.
final class RelayStreamOwner {
    private let relay: RelayPath
    private weak var paths: ServerPaths?

    init(_ relay: RelayPath, _ paths: ServerPaths) {
        self.relay = relay
        self.paths = paths
    }

    func stands(_ channel: any Channel, _ paths: ServerPaths, _ mux: UDPMux) {
        guard !paths.isClosed else { return channel.close(promise: nil) }
        relay.stream = RelayLink(channel)
        mux.serversActed { now, outbox in relay.client.start(now: now, into: outbox) }
    }

    func failed(_ error: any Error, _ paths: ServerPaths, _ mux: UDPMux) {
        guard !paths.isClosed else { return }
        mux.serversActed { now, outbox in
            relay.client.close(now: now, into: outbox)
            paths.failed(relay, RelayStreamError(error), isFinal: false, now)
        }
    }

    func take(_ messages: [ByteBuffer]) {
        guard let paths, !paths.isClosed else { return }
        paths.mux.serversActed { now, outbox in
            for message in messages { take(message, paths, now, outbox) }
        }
    }

    private func take(_ message: ByteBuffer, _ paths: ServerPaths, _ now: Instant, _ outbox: Outbox) {
        var message = message
        message.withUnsafeMutableReadableBytes { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            guard let arrival = paths.receive(raw, over: relay, now: now, into: outbox) else { return }
            paths.mux.deliverRelayed(
                UnsafeMutableRawBufferPointer(rebasing: bytes[arrival.range]), to: paths.flow, arrival, now: now)
        }
    }

    func ended() {
        relay.stream = nil
        paths?.mux.serversActed { [relay, paths] now, outbox in
            guard relay.client.streamEnded() else { return }
            paths?.changed(relay, now, outbox)
        }
    }
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
