import NIOCore
import NIOPosix
import RTCCore
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
        let receiver = DatagramReceiver(descriptor: socket.descriptor, capacity: messages)
        return DatagramBootstrap(group: eventLoop)
            // NIO reads the first datagram of a batch, the mux the others.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: PeekingAllocator(receiver: receiver))
            .withBoundSocket(socket.descriptor)
            .flatMapThrowing { channel in
                guard let bound = channel.localAddress, let address = TransportAddress(bound) else {
                    throw UDPBindError(host: host, port: port, reason: "not an IP address")
                }
                let mux = UDPMux(
                    channel: channel, socket: socket, receiver: receiver, localAddress: address,
                    configuration: settings)
                try channel.pipeline.syncOperations.addHandler(DatagramHandler(mux: mux))
                return mux
            }
            .flatMapErrorThrowing { throw bindError($0, host: host, port: port) }
    }

    /// Adds the host candidates of this socket to a peer.
    ///
    /// - Parameter advertised: the addresses that the other side is told, where these are not the machine's own (a NAT
    ///   forwards them); their port does not matter. Those of a family that the socket does not serve are left out.
    package func addHostCandidates(_ advertised: [TransportAddress] = [], to peer: inout Peer) {
        for address in hostAddresses(advertised) {
            let isOwn = bases.addresses.contains(address)
            let base = isOwn ? address : localAddress
            peer.addLocalCandidate(address, base: base, path: bases.path(of: base))
        }
    }

    /// The addresses of those candidates.
    package func hostAddresses(_ advertised: [TransportAddress] = []) -> [TransportAddress] {
        guard !advertised.isEmpty else { return bases.addresses }
        return advertised.filter { bases.serves($0) }
            .map { TransportAddress(high: $0.high, low: $0.low, port: localAddress.port) }
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
