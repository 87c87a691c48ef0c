import NIOCore
import NIOPosix
import RTCWire
import TransportSecurity

/// Why a UDP socket could not be had.
package struct UDPBindError: Error, CustomStringConvertible {
    package var host: String
    package var port: Int
    package var reason: String

    package var description: String {
        "cannot bind UDP \(host):\(port): \(reason). Choose a free port (0 lets the system choose) and an address of this machine."
    }
}

extension UDPMux {
    /// Binds a UDP port on `eventLoop`. Port 0 lets the kernel choose. Throws `UDPBindError`.
    package static func bind(
        on eventLoop: any EventLoop, host: String, port: Int, configuration: UDPMuxConfiguration = .init()
    ) -> EventLoopFuture<UDPMux> {
        var configuration = configuration
        configuration.segmentationOffload = configuration.segmentationOffload && System.supportsUDPSegmentationOffload
        let settings = configuration
        // One peer's socket has a packet or two when it wakes; preparing for more costs each time.
        let messages = settings.isExclusive ? 8 : 32
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket(host: host, port: port, bufferSize: settings.socketBufferSize)
        } catch {
            return eventLoop.makeFailedFuture(bindError(error, host: host, port: port))
        }
        return DatagramBootstrap(group: eventLoop)
            .channelOption(.datagramVectorReadMessageCount, value: messages)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: messages * maximumDatagram)
            )
            .channelOption(.maxMessagesPerRead, value: 16)
            .withBoundSocket(socket.descriptor)
            .flatMapThrowing { channel in
                guard let bound = channel.localAddress, let address = TransportAddress(bound) else {
                    throw UDPBindError(host: host, port: port, reason: "not an IP address")
                }
                let mux = UDPMux(channel: channel, socket: socket, localAddress: address, configuration: settings)
                try channel.pipeline.syncOperations.addHandler(DatagramHandler(mux: mux))
                return mux
            }
            .flatMapErrorThrowing { throw bindError($0, host: host, port: port) }
    }

    private static func bindError(_ error: any Error, host: String, port: Int) -> UDPBindError {
        if let error = error as? UDPBindError { return error }
        return UDPBindError(host: host, port: port, reason: SocketFault.words(error))
    }
}

/// Hands datagrams from the channel to the mux and nothing else.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let mux: UDPMux

    init(mux: UDPMux) { self.mux = mux }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { mux.received(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { mux.readCompleted() }

    func channelInactive(context: ChannelHandlerContext) {
        mux.channelClosed()
        context.fireChannelInactive()
    }

    // A socket error concerns one datagram (an unreachable port, say): the peers notice by their own timers.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
