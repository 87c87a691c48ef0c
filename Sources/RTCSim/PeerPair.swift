import RTCCore
import RTCWire

/// Two peers with a network between them: the smallest call, in virtual time.
package final class PeerPair {
    package let simulation: Simulation
    /// The offerer: controlling, DTLS server unless said otherwise.
    package let alice: PeerNode
    package let bob: PeerNode
    private let aliceRole: DTLSRole

    /// Makes both peers; nothing happens before `connect`.
    ///
    /// - Parameters:
    ///   - configure: changes each peer's configuration before it is made; the flag is true for alice.
    ///   - aliceRole: alice's part in the handshake; bob takes the other one.
    package init(
        _ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1, aliceRole: DTLSRole = .server,
        certificates: (alice: DTLSCertificate, bob: DTLSCertificate),
        configure: (inout PeerConfiguration, _ isAlice: Bool) -> Void = { _, _ in }
    ) {
        simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        self.aliceRole = aliceRole
        let now = simulation.now
        func node(_ isAlice: Bool) -> PeerNode {
            var configuration = PeerConfiguration(
                iceRole: isAlice ? .controlling : .controlled,
                certificate: isAlice ? certificates.alice : certificates.bob)
            configuration.seed = seed &* 2 &+ (isAlice ? 0 : 1)
            configuration.cname = isAlice ? "alice" : "bob"
            configure(&configuration, isAlice)
            var peer = Peer(configuration: configuration, now: now)
            // Any moment in NTP's own years will do.
            peer.setClock(ntpOffset: .seconds(3_950_000_000))
            let address = TransportAddress(ipv4: isAlice ? 0x0a00_0001 : 0x0a00_0002, port: isAlice ? 4001 : 4002)
            return PeerNode(address: address, peer: peer)
        }
        alice = node(true)
        bob = node(false)
        simulation.add(alice)
        simulation.add(bob)
    }

    /// Exchanges descriptions and candidates, as signalling would, at this moment.
    package func connect() {
        describe(alice, to: bob, localRole: aliceRole.opposite)
        describe(bob, to: alice, localRole: aliceRole)
        for (node, other) in [(alice, bob), (bob, alice)] {
            drive(node) { peer, _, _ in peer.addLocalCandidate(node.address) }
            guard let candidate = node.peer.localCandidates.first else { continue }
            let line = candidate.sdp(ufrag: node.peer.localCredentials.ufrag)
            drive(other) { peer, now, outbox in peer.addRemoteCandidate(line, now: now, into: outbox) }
        }
    }

    /// Tells `to` what `from`'s description says.
    package func describe(_ from: PeerNode, to: PeerNode, localRole: DTLSRole) {
        let credentials = from.peer.localCredentials
        let fingerprint = from.peer.localFingerprint
        drive(to) { peer, now, outbox in
            peer.setRemote(
                credentials: credentials, fingerprint: fingerprint, dtlsRole: localRole, now: now, into: outbox)
        }
    }

    /// Runs until both are connected; false where that takes longer than `limit`.
    @discardableResult
    package func runUntilConnected(limit: Interval = .seconds(30)) -> Bool {
        simulation.run(until: simulation.now + limit) {
            alice.peer.state == .connected && bob.peer.state == .connected
        }
    }

    /// Calls into a peer now; what it queues is sent from its address.
    package func drive(_ node: PeerNode, _ body: (inout Peer, Instant, Outbox) -> Void) {
        simulation.perform(node) { outbox in
            body(&node.peer, simulation.now, outbox)
            node.take(outbox, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    package func other(_ node: PeerNode) -> PeerNode { node === alice ? bob : alice }
}
