import NIOCore
import RTCCore
import RTCWire

/// An agent's socket whose address is gone: another one takes its place, and the peer goes on from there.
extension UDPMux {
    /// Binds another socket in the place of the present one, of a mux that serves one peer. Relays and connections end, for
    /// they lead from the old one: `gather` asks for relays anew. On the loop. Throws `UDPBindError`, and all stays as it was.
    ///
    /// - Parameter addresses: what an unspecified host stands for.
    /// - Returns: the bases of candidates that are void now.
    package func move(to host: String, addresses: [TransportAddress]) throws(UDPBindError) -> [TransportAddress] {
        loop.preconditionInEventLoop()
        guard configuration.isExclusive, !isClosed else {
            throw UDPBindError(host: host, port: 0, reason: "the present socket serves several peers, or is closed")
        }
        let fresh: WatchedSocket
        do {
            let socket = try DatagramSocket.bind(host: host, port: 0, bufferSize: configuration.socketBufferSize)
            fresh = WatchedSocket(socket, on: loop)
            try fresh.begin(self)
        } catch {
            throw UDPBindError(host: host, port: 0, error)
        }
        let void = directBases + (servers?.relayBases ?? [])
        closeServers()
        streams?.endAll(now: MonotonicClock.now())
        replaceSocket(fresh, LocalBases(bound: fresh.socket.address, wanted: addresses))
        return void
    }
}
