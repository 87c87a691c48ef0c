import RTCSim
import RTCTransport
import RTCWire

/// A relay in the way of one client.
actor ImpairedPath {
    private var relay: UDPRelay?

    /// Puts a relay in front of the server's candidate.
    func through(_ candidate: ICECandidate) async throws -> ICECandidate {
        var candidate = candidate
        let target = TransportAddress(ipv4: 0x7f00_0001, port: candidate.port)
        let loop = try DatagramLoop()
        let relay = try await UDPRelay.bind(on: loop, host: "127.0.0.1").get()
        relay.target = target
        self.relay = relay
        candidate.port = relay.address.port
        return candidate
    }

    /// From now on this share of all datagrams is lost, both ways.
    func lose(_ share: Double) async throws {
        guard let relay else { return }
        try await relay.loop.submit {
            var conditions = NetworkConditions()
            conditions.loss = share
            relay.setConditions(conditions)
        }.get()
    }

    func close() async throws {
        try await relay?.close().get()
        try await relay?.loop.shutdownGracefully()
    }
}
