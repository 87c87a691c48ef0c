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

    init(host: String, port: Int, reason: String) {
        self.host = host
        self.port = port
        self.reason = reason
    }

    /// - Parameter error: what the system has said.
    init(host: String, port: Int, _ error: any Error) {
        self.init(host: host, port: port, reason: SocketFault.words(error))
    }

    package var description: String {
        "cannot bind UDP \(host):\(port): \(reason). Choose a free port (0 lets the system choose) and an address of this machine."
    }
}

extension UDPMux {
    /// Binds a UDP port on `loop`. Port 0 lets the kernel choose. Throws `UDPBindError`.
    package static func bind(
        on loop: DatagramLoop, host: String, port: Int, configuration: UDPMuxConfiguration = .init()
    ) -> EventLoopFuture<UDPMux> {
        var configuration = configuration
        configuration.segmentationOffload = configuration.segmentationOffload && System.supportsUDPSegmentationOffload
        let settings = configuration
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket.bind(host: host, port: port, bufferSize: settings.socketBufferSize)
        } catch {
            return loop.makeFailedFuture(UDPBindError(host: host, port: port, error))
        }
        return loop.submit {
            do { return try UDPMux(socket, on: loop, configuration: settings) } catch {
                throw UDPBindError(host: host, port: port, error)
            }
        }
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
}
