import NIOCore
import NIOPosix
import RTCWire

/// The sockets of a relay.
enum RelaySocket {
    /// Binds a UDP socket that hands what it receives to `relay`: as a participant's datagrams where `leg` is nil, as the
    /// server's to that leg otherwise. Throws `UDPBindError`.
    static func bind(
        on eventLoop: any EventLoop, host: String, port: Int = 0, bufferSize: Int
    ) -> EventLoopFuture<any Channel> {
        let size = ChannelOptions.Types.SocketOption.Value(bufferSize)
        return DatagramBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_rcvbuf), value: size)
            .channelOption(.socketOption(.so_sndbuf), value: size)
            .channelOption(.datagramVectorReadMessageCount, value: 32)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 32 * UDPMux.maximumDatagram)
            )
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelOption(.writeBufferWaterMark, value: .init(low: 1024 * 1024, high: 4 * 1024 * 1024))
            .bind(host: host, port: port)
            .flatMapErrorThrowing { throw UDPBindError(host: host, port: port, reason: "\($0)") }
    }

    /// The address to bind in order to reach `remote`: only the loopback interface where that is enough.
    static func localHost(reaching remote: TransportAddress) -> String {
        if remote.isIPv4 { return remote.ipv4 >> 24 == 127 ? "127.0.0.1" : "0.0.0.0" }
        return remote.high == 0 && remote.low == 1 ? "::1" : "::"
    }
}

/// Hands datagrams from a channel to the relay and nothing else.
final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let relay: UDPRelay
    private let leg: RelayLeg?

    /// - Parameter leg: the leg whose socket it is; nil for the participants' common port.
    init(relay: UDPRelay, leg: RelayLeg?) {
        self.relay = relay
        self.leg = leg
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = TransportAddress(envelope.remoteAddress) else { return }
        if let leg {
            relay.received(envelope.data, fromServer: source, on: leg)
        } else {
            relay.received(envelope.data, fromParticipant: source)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { relay.readCompleted() }

    /// A single datagram that can't be sent or received is no reason to close the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
