import Glibc
import NIOCore
import NIOPosix
import RTCWire

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
        let bufferSize = ChannelOptions.Types.SocketOption.Value(configuration.socketBufferSize)
        let offload = System.supportsUDPSegmentationOffload
        var configuration = configuration
        configuration.segmentationOffload = configuration.segmentationOffload && offload
        let settings = configuration
        return DatagramBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_rcvbuf), value: bufferSize)
            .channelOption(.socketOption(.so_sndbuf), value: bufferSize)
            .channelOption(.datagramVectorReadMessageCount, value: 32)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 32 * maximumDatagram))
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelOption(
                .writeBufferWaterMark, value: .init(low: 2 * 1024 * 1024, high: 8 * 1024 * 1024)
            )
            .bind(host: host, port: port)
            .flatMapThrowing { channel in
                guard let bound = channel.localAddress, let address = TransportAddress(bound) else {
                    throw UDPBindError(host: host, port: port, reason: "not an IP address")
                }
                let mux = UDPMux(channel: channel, localAddress: address, configuration: settings)
                try channel.pipeline.syncOperations.addHandler(DatagramHandler(mux: mux))
                return mux
            }
            .flatMapErrorThrowing { error in
                let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
                throw error as? UDPBindError ?? UDPBindError(host: host, port: port, reason: reason)
            }
    }
}

/// Hands datagrams from the channel to the mux and nothing else.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let mux: UDPMux

    init(mux: UDPMux) { self.mux = mux }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { mux.received(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { mux.readCompleted() }

    // A socket error concerns one datagram (an unreachable port, say): the peers notice by their own timers.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
