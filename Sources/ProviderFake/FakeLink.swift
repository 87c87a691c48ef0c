import RTCCore
import RTCSim
import RTCWire

/// The two ends of one participant's media connection: the participant's own peer, and the server's for them, each with an
/// address in the simulated network. ICE, DTLS and SRTP run between them as they do between machines.
final class FakeLink {
    static let extensions = RTPExtensionMap([(1, .audioLevel), (2, .absSendTime), (3, .mid)])

    let client: PeerNode
    let server: PeerNode
    private let simulation: Simulation

    /// - Parameter number: makes the addresses, 1...60,000; each number may be used once.
    init(_ simulation: Simulation, number: Int, seed: UInt64, certificates: FakeCertificates) {
        self.simulation = simulation
        let now = simulation.now
        func node(_ isClient: Bool) -> PeerNode {
            var configuration = PeerConfiguration(
                iceRole: isClient ? .controlling : .controlled,
                certificate: isClient ? certificates.client : certificates.server)
            configuration.seed = seed &+ UInt64(number) &* 2 &+ (isClient ? 0 : 1)
            var peer = Peer(configuration: configuration, now: now)
            peer.setClock(ntpOffset: .seconds(3_950_000_000))
            let base: UInt32 = isClient ? 0x0a00_0000 : 0x0a01_0000
            let address = TransportAddress(ipv4: base &+ UInt32(truncatingIfNeeded: number), port: 4000)
            return PeerNode(address: address, peer: peer)
        }
        client = node(true)
        server = node(false)
        simulation.add(client)
        simulation.add(server)
    }

    /// Exchanges descriptions and candidates, as signalling would.
    func connect() {
        describe(client, to: server, role: .server)
        describe(server, to: client, role: .client)
        for (node, other) in [(client, server), (server, client)] {
            drive(node) { peer, _, _ in peer.addLocalCandidate(node.address) }
            guard let candidate = node.peer.localCandidates.first else { continue }
            let line = candidate.sdp(ufrag: node.peer.localCredentials.ufrag)
            drive(other) { peer, now, outbox in peer.addRemoteCandidate(line, now: now, into: outbox) }
        }
    }

    private func describe(_ from: PeerNode, to: PeerNode, role: DTLSRole) {
        let (credentials, fingerprint) = (from.peer.localCredentials, from.peer.localFingerprint)
        drive(to) { peer, now, outbox in
            peer.setRemote(credentials: credentials, fingerprint: fingerprint, dtlsRole: role, now: now, into: outbox)
        }
    }

    /// Calls into one end; what it queues leaves from its address. Not from within another end's turn.
    func drive(_ node: PeerNode, _ body: (inout Peer, Instant, Outbox) -> Void) {
        simulation.perform(node) { outbox in
            body(&node.peer, simulation.now, outbox)
            node.take(outbox, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Changes the network between the two ends.
    func setConditions(_ conditions: NetworkConditions) {
        simulation.network.set(conditions, from: client.address, to: server.address)
        simulation.network.set(conditions, from: server.address, to: client.address)
    }

    func close() {
        for node in [client, server] { drive(node) { peer, now, outbox in peer.close(now: now, into: outbox) } }
    }
}

/// What both ends prove themselves with.
struct FakeCertificates {
    let client: DTLSCertificate
    let server: DTLSCertificate
}
