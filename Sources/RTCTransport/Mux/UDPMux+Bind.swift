import NIOCore
import NIOPosix
import RTCCore
import RTCWire
import TransportSecurity

/// Why a socket could not be had.
package struct UDPBindError: Error, CustomStringConvertible {
    package var host: String
    package var port: Int
    package var reason: String
    var transport = "UDP"

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
        "cannot bind \(transport) \(host):\(port): \(reason). Choose a free port (0 lets the system choose) and an address of this machine."
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
            do {
                let listening = try UDPMux.listen(host: host, settings)
                let mux = try UDPMux(socket, on: loop, configuration: settings)
                try mux.openStreams(listening)
                return mux
            } catch let error as UDPBindError {
                throw error
            } catch {
                throw UDPBindError(host: host, port: port, error)
            }
        }
    }

    private static func listen(host: String, _ settings: UDPMuxConfiguration) throws -> StreamSocket? {
        guard let port = settings.streamPort else { return nil }
        do { return try StreamSocket.listen(host: host, port: port) } catch {
            var failure = UDPBindError(host: host, port: port, error)
            failure.transport = "TCP"
            throw failure
        }
    }

    /// Adds the host candidates of this socket, and of its TCP side, to a peer.
    ///
    /// - Parameter advertised: the addresses that the other side is told, where these are not the machine's own (a NAT
    ///   forwards them); their port does not matter. Those of a family that the socket does not serve are left out.
    package func addHostCandidates(_ advertised: [TransportAddress] = [], to peer: inout Peer) {
        for address in hostAddresses(advertised) {
            let base = hostBase(of: address)
            peer.addLocalCandidate(address, base: base, path: bases.path(of: base))
        }
        addTCPCandidates(advertised, to: &peer)
    }

    /// Where what is sent to an address that the other side is told comes in.
    func hostBase(of address: TransportAddress) -> TransportAddress {
        bases.addresses.contains(address) ? address : localAddress
    }

    /// The addresses of those candidates.
    package func hostAddresses(_ advertised: [TransportAddress] = []) -> [TransportAddress] {
        guard !advertised.isEmpty else { return bases.addresses }
        return advertised.filter { bases.serves($0) }
            .map { TransportAddress(high: $0.high, low: $0.low, port: localAddress.port) }
    }
}
